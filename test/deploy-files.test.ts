import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROLES } from '../src/config.ts'
import { rejectUnknown } from '../src/boot/known-settings.ts'

const DEPLOY = join(import.meta.dirname, '../deploy')
const FILES = [
  'Dockerfile',
  'compose.yaml',
  'compose.cluster.yaml',
  'compose.bucket.yaml',
  'compose.chatwoot.yaml',
  'postern.service',
  'install.sh',
]
const COMPOSE = ['compose.yaml', 'compose.cluster.yaml', 'compose.bucket.yaml', 'compose.chatwoot.yaml']

/** Names that only Compose uses, and that no process of the gateway sees. */
const OUTSIDE = new Set(['POSTERN_DOMAIN'])

const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(match => match[1]!)

describe('The deployment files', () => {
  it.each(FILES)('in %s name only settings that exist', name => {
    const names = found(read(name), /(POSTERN_[A-Z0-9_]+[A-Z])/g).filter(setting => !OUTSIDE.has(setting))
    expect(names.length).toBeGreaterThan(0)
    expect(() => rejectUnknown(Object.fromEntries(names.map(setting => [setting, 'set'])))).not.toThrow()
  })

  it.each(COMPOSE)('in %s keep every secret in a file, and mount those that they declare', name => {
    const text = read(name)
    expect(text).not.toMatch(/(SECRET_KEY|ACCESS_KEY|ACCESS_KEY_ID|TOKEN|DATABASE_URL|DIRECT_URL|PASSWORD)\s*:/)
    const declared = found(text.slice(text.lastIndexOf('\nsecrets:')), /^ {2}([a-z_]+):$/gm)
    expect(declared.length).toBeGreaterThan(1)
    for (const file of found(text, /\/run\/secrets\/([a-z_]+)/g)) expect(declared).toContain(file)
    for (const used of declared) expect(text).toMatch(new RegExp(`- (source: )?${used}$`, 'm'))
  })

  it('use only secrets of the cluster that make-secrets.sh writes', () => {
    const text = read('compose.cluster.yaml')
    const made = found(read('make-secrets.sh'), /keep ([a-z_]+) \d+/g)
    expect(found(text, /file: \.\.\/secrets\/([a-z_]+)/g).toSorted()).toEqual(made.toSorted())
  })

  it.each(COMPOSE)('in %s mount only files that exist', name => {
    const paths = found(read(name), /^ +- (\.\/[^:\n]+):/gm)
    for (const path of paths) expect(existsSync(join(DEPLOY, path)), path).toBe(true)
    const built = found(read(name), /dockerfile: (\S+)/g)
    for (const path of built) expect(existsSync(join(dirname(DEPLOY), path)), path).toBe(true)
  })

  it('run two of every production role in the cluster', () => {
    const text = read('compose.cluster.yaml')
    const roles = found(text, /POSTERN_ROLES: (\S+)/g)
    expect(roles).toEqual(ROLES.filter(role => role !== 'simulator'))
    expect(text).toMatch(/replicas: 2/)
  })

  it('give the settings and keys of the bucket to every process of the cluster', () => {
    const servicesOf = (name: string) => {
      const text = read(name)
      return text
        .slice(text.indexOf('\nservices:'), text.lastIndexOf('\nsecrets:'))
        .split(/^ {2}(?=[a-z]+:$)/m)
        .slice(1)
    }
    const nameOf = (service: string) => service.split(':')[0]
    const gateways = servicesOf('compose.cluster.yaml').filter(each => each.includes('POSTERN_ROLES:'))
    const withBucket = servicesOf('compose.bucket.yaml').filter(each => /<<: \*bucket$[^]*secrets: \*keys$/m.test(each))
    expect(withBucket.map(nameOf)).toEqual(gateways.map(nameOf))
  })

  it('give the operator’s token to the api alone', () => {
    const text = read('compose.cluster.yaml')
    const services = text.slice(text.indexOf('\nservices:')).split(/^ {2}(?=[a-z]+:$)/m)
    const holders = services.filter(each => each.includes('operator_token') && !each.includes('file:'))
    expect(holders.map(each => each.split(':')[0])).toEqual(['api'])
    expect(text.slice(0, text.indexOf('\nservices:'))).not.toContain('operator_token')
  })

  it('let every image of others be pinned by its digest', () => {
    const images = found(read('compose.cluster.yaml'), /^ +image: (.+)$/gm).filter(image => image !== 'postern')
    expect(images.length).toBe(5)
    for (const image of images) expect(image).toMatch(/^\$\{[A-Z]+_IMAGE:-\S+\}$/)
  })

  it('use the same port in the image, the probes and Prometheus', () => {
    const port = /POSTERN_METRICS_PORT=(\d+)/.exec(read('Dockerfile'))![1]!
    expect(read('Dockerfile')).toContain(`EXPOSE 8080 ${port}`)
    expect(read('prometheus/cluster.yml')).toContain(`port: ${port}`)
  })
})

describe('make-secrets.sh', () => {
  it('takes the operator’s token from Prometheus, and leaves every other secret unchanged', () => {
    const root = mkdtempSync(join(tmpdir(), 'postern-secrets-'))
    mkdirSync(join(root, 'deploy'))
    cpSync(join(DEPLOY, 'make-secrets.sh'), join(root, 'deploy/make-secrets.sh'))
    const make = () => {
      spawnSync('sh', [join(root, 'deploy/make-secrets.sh')])
      const folder = join(root, 'secrets')
      return Object.fromEntries(readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]))
    }
    const made = make()
    expect(made.prometheus_token).toBe(made.metrics_token)
    writeFileSync(join(root, 'secrets/prometheus_token'), made.operator_token!.trim())
    expect(make()).toEqual(made)
    writeFileSync(join(root, 'secrets/prometheus_token'), 'chosen')
    expect(make()).toEqual({ ...made, prometheus_token: 'chosen' })
    rmSync(root, { recursive: true })
  })
})

const NPM =
  'npm ci --omit=dev --ignore-scripts --no-fund --no-audit in /opt/postern/lib.new with npm-shrinkwrap.json package package.json'

describe('install.sh over an existing version', () => {
  /** A system with an installed version, and programs that only record their calls. */
  function install(
    postern: string,
    settings = '',
    {
      options = [],
      database = 'var/lib/postern/postern.db',
      locked = true,
    }: { options?: string[]; database?: string; locked?: boolean } = {},
  ) {
    const root = mkdtempSync(join(tmpdir(), 'postern-install-'))
    const [uid, gid] = [process.getuid!(), process.getgid!()]
    const put = (path: string, text: string, mode = 0o644) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text, { mode })
    }
    put('etc/passwd', `postern:x:${uid}:${gid}::/var/lib/postern:/usr/sbin/nologin\n`)
    put('etc/postern/postern.env', `POSTERN_PUBLIC_URL=https://gateway.example.com\n${settings}`)
    put('etc/postern/secrets/secret_key', 'key')
    put(database, 'data')
    const called = join(root, 'called')
    put('opt/postern/bin/postern', `#!/bin/sh\necho "postern $1 $2 $POSTERN_DATA_DIR" >>${called}\n${postern}\n`, 0o755)
    put('bin/npm', `#!/bin/sh\necho "npm $* in $PWD with $(echo *)" >>${called}\n`, 0o755)
    put('bin/id', '#!/bin/sh\necho 0\n', 0o755)
    put('package/bin/postern.mjs', '')
    for (const name of locked ? ['package.json', 'npm-shrinkwrap.json'] : []) put(`package/dist/lock/${name}`, '{}')
    spawnSync('tar', ['-czf', join(root, 'new.tgz'), '-C', root, 'package'])
    const ran = spawnSync('sh', [join(DEPLOY, 'install.sh'), '--root', root, ...options, join(root, 'new.tgz')], {
      env: { PATH: `${join(root, 'bin')}:${process.env.PATH}` },
      encoding: 'utf8',
    })
    const lines = existsSync(called) ? readFileSync(called, 'utf8').trim().replaceAll(root, '').split('\n') : []
    const program = join(root, 'opt/postern/bin/postern')
    const target = lstatSync(program).isSymbolicLink() ? realpathSync(program).replace(realpathSync(root), '') : null
    rmSync(root, { recursive: true })
    return { status: ran.status, printed: `${ran.stdout}${ran.stderr}`.replaceAll(root, ''), lines, target }
  }

  it('installs exactly the packages of the lock file that the package brings, and rejects a package without one', () => {
    const { status, lines, target } = install('exit 0')
    expect([status, lines.at(-1), target]).toEqual([0, NPM, '/opt/postern/lib/node_modules/postern/bin/postern.mjs'])
    const without = install('exit 0', '', { locked: false })
    expect([without.status, without.printed, without.target]).toEqual([1, expect.stringMatching(/no lock file/), null])
    expect(without.lines).not.toContain(NPM)
  })

  it('copies the embedded database with that version before anything changes, and prints the place', () => {
    const { status, printed, lines } = install('exit 0')
    expect([status, lines]).toEqual([0, ['postern backup --to /var/lib/postern', NPM]])
    expect(printed).toMatch(/Copied the database to \/var\/backups\/postern\/\d{8}T\d{6}Z\.db\./)
  })

  it.each(['/srv/postern', '"/srv/postern"', "'/srv/postern' "])('copies it from %s if the settings say so', folder => {
    const { status, lines } = install('exit 0', `POSTERN_DATA_DIR=${folder}\n`, {
      database: 'srv/postern/postern.db',
    })
    expect([status, lines]).toEqual([0, ['postern backup --to /srv/postern', NPM]])
  })

  it('changes nothing if it finds no database, and names the remedy', () => {
    const { status, printed, lines } = install('exit 0', 'POSTERN_DATA_DIR=/srv/postern\n')
    expect([status, lines]).toEqual([1, []])
    expect(printed).toMatch(/\/srv\/postern\/postern\.db does not exist[^]*POSTERN_DATA_DIR[^]*--no-backup/)
    expect(install('exit 0', 'POSTERN_DATA_DIR=/srv/postern\n', { options: ['--no-backup'] }).lines).toEqual([NPM])
  })

  it('copies it without the .env of the caller’s folder', () => {
    expect(install('pwd >>"$0.folder"; grep -qx / "$0.folder"').status).toBe(0)
  })

  it('changes nothing if the copy fails', () => {
    const { status, printed, lines } = install('echo "the disk is full" >&2; exit 1')
    expect([status, lines]).toEqual([1, ['postern backup --to /var/lib/postern']])
    expect(printed).toMatch(/the disk is full[^]*nothing was changed/)
  })

  it('copies nothing if that is not wanted, and nothing of PostgreSQL', () => {
    expect(install('exit 0', '', { options: ['--no-backup'] }).lines).toEqual([NPM])
    const { printed, lines } = install('exit 0', 'POSTERN_DATABASE_URL_FILE=/run/url\n')
    expect([printed, lines]).toEqual([expect.stringContaining('pg_dump'), [NPM]])
  })
})
