import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../src/version.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'postern-supply-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Names = Record<string, string>
interface Entry {
  version: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  hasInstallScript?: boolean
  dependencies?: Names
  devDependencies?: Names
}
interface Manifest {
  name: string
  dependencies?: Names
  devDependencies?: Names
  optionalDependencies?: Names
  peerDependencies?: Names
  /** For every dependent, or below one package. */
  overrides?: Record<string, string | Names>
  allowScripts?: Record<string, boolean>
  scripts?: Names
}

const read = <T>(path: string): T => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T
const lock = new Map(Object.entries(read<{ packages: Record<string, Entry> }>('package-lock.json').packages))
const packages = [...lock].filter(([place, { link }]) => place.includes('node_modules/') && link !== true)
const installed = packages.filter(([place]) => existsSync(join(ROOT, place)))
const workspaces = [
  'simulator',
  'sdk',
  'portal',
  ...readdirSync(join(ROOT, 'packages')).map(name => `packages/${name}`),
]
const manifests = ['', ...workspaces].map(place => ({
  place,
  manifest: read<Manifest>(join(place, 'package.json')),
}))

const flat = (overrides: Record<string, string | Names>): Names[] =>
  Object.entries(overrides).map(([name, held]) => (typeof held === 'string' ? { [name]: held } : held))

describe('Versions of packages', () => {
  test('have the digest that npm checks in the lock file, which names no host', () => {
    expect(packages.length).toBeGreaterThan(300)
    expect(packages.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))).toEqual([])
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  test('are exact wherever they are requested', () => {
    for (const { manifest } of manifests) {
      const { dependencies, devDependencies, optionalDependencies, peerDependencies, overrides = {} } = manifest
      const asked = [dependencies, devDependencies, optionalDependencies, peerDependencies, ...flat(overrides)]
      const versions = asked.flatMap(each => Object.entries(each ?? {}))
      expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[a-z0-9.]+)?$/.test(version))).toEqual([])
    }
  })

  test('in the lock file are those that are requested and no others', () => {
    for (const { place, manifest } of manifests) {
      const { dependencies = {}, devDependencies = {} } = lock.get(place)!
      expect(dependencies).toEqual(manifest.dependencies ?? {})
      expect(devDependencies).toEqual(manifest.devDependencies ?? {})
    }
  })
})

test('the package brings a lock file of everything that it installs, with the versions and digests of the tested ones', () => {
  const written = join(folder, 'lock')
  expect(spawnSync(process.execPath, [join(ROOT, 'scripts/install-lock.mjs'), written]).status).toBe(0)
  const readWritten = <T>(name: string): T => JSON.parse(readFileSync(join(written, name), 'utf8')) as T
  const { packages } = readWritten<{ packages: Record<string, Entry> }>('npm-shrinkwrap.json')
  const { '': top, ...places } = packages
  expect(top!.dependencies).toEqual(manifests[0]!.manifest.dependencies)
  expect(readWritten<Manifest>('package.json').dependencies).toEqual(top!.dependencies)
  for (const name of Object.keys(top!.dependencies!)) expect(places).toHaveProperty([`node_modules/${name}`])
  for (const [place, { version, integrity, dev, dependencies = {} }] of Object.entries(places)) {
    expect({ version, integrity, dev }, place).toEqual({ ...digestOf(lock.get(place)!), dev: undefined })
    for (const name of Object.keys(dependencies))
      expect(
        Object.keys(places).some(each => each.endsWith(`node_modules/${name}`)),
        `${place}: ${name}`,
      ).toBe(true)
  }
  for (const tool of ['typescript', 'vitest', 'react']) expect(places).not.toHaveProperty([`node_modules/${tool}`])
  expect(read<{ files: string[] }>('package.json').files).toContain('dist/lock')
})

const digestOf = ({ version, integrity }: Entry) => ({ version, integrity })

describe('Install scripts', () => {
  test('are listed for every package that has one, and none is needed', () => {
    const { allowScripts } = manifests[0]!.manifest
    const named = packages
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([place]) => nameAt(place))
    expect(Object.keys(allowScripts!).sort()).toEqual([...new Set(named)].sort())
    expect(Object.values(allowScripts!)).toEqual(named.map(() => false))
  })

  test('exist in no installed package that the lock file does not mark', () => {
    const runs = ([place]: [string, Entry]): boolean => {
      const { scripts = {} } = read<Manifest>(join(place, 'package.json'))
      return ['preinstall', 'install', 'postinstall'].some(name => Object.hasOwn(scripts, name))
    }
    expect(installed.filter(entry => runs(entry) && entry[1].hasInstallScript !== true)).toEqual([])
  })
})

interface Row {
  name: string
  version: string
  licence: string
  use: 'product' | 'development'
}
const licences = (cwd: string, ...flags: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'scripts/licences.mjs'), ...flags], { cwd, encoding: 'utf8' })
const rows = JSON.parse(licences(ROOT, '--json').stdout) as Row[]
const product = rows.filter(({ use }) => use === 'product')

describe('npm run licences', () => {
  test('finds an allowed licence for every installed package', () => {
    const { status, stdout, stderr } = licences(ROOT)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const known = new Set(installed.map(([place, { version }]) => `${nameAt(place)}@${version}`))
    expect([...known].filter(name => !rows.some(row => `${row.name}@${row.version}` === name))).toEqual([])
    for (const { name, version, licence } of rows) {
      expect(licence).not.toBe('')
      expect(stdout).toMatch(new RegExp(`${escaped(name)} +${escaped(version)} +${escaped(licence)}`))
    }
  })

  test('finds in NOTICE the packages of the product whose licence requires more than attribution', () => {
    const notice = readFileSync(join(ROOT, 'NOTICE'), 'utf8')
    const more = product.filter(({ licence }) => /GPL|MPL|EPL|OFL|SSPL/.test(licence))
    expect(more.map(({ name }) => name)).toEqual(expect.arrayContaining(['libsignal', '@fontsource-variable/inter']))
    expect(more.some(({ name }) => name.startsWith('@img/sharp-libvips-'))).toBe(true)
    const called = (name: string) =>
      name.includes('libvips') ? '`@img/sharp-libvips-…`' : (/(inter|libsignal)$/.exec(name)?.[0] ?? name)
    for (const { name } of more) expect(notice.toLowerCase()).toContain(called(name))
  })

  const PLANTED: Array<[string, string, Record<string, unknown>, 'dependencies' | 'devDependencies', RegExp]> = [
    ['without a licence', 'planted', {}, 'dependencies', /planted@1\.0\.0 says no licence/],
    [
      'that no package requested, without a licence',
      'planted',
      {},
      'peerDependencies' as 'dependencies',
      /says no licence/,
    ],
    [
      'under a licence of its own',
      'planted',
      { license: 'SEE LICENSE IN FILE' },
      'devDependencies',
      /SEE LICENSE IN FILE/,
    ],
    ['under the GPL', 'planted', { license: 'GPL-3.0' }, 'dependencies', /is under GPL-3\.0/],
    ['under the MPL, in the product', 'planted', { license: 'MPL-2.0' }, 'dependencies', /is under MPL-2\.0/],
    ['under two licences at once', 'planted', { license: 'MIT AND GPL-2.0' }, 'dependencies', /MIT AND GPL-2\.0/],
    ['excepted for another licence', 'libsignal', { license: 'AGPL-3.0' }, 'dependencies', /is under AGPL-3\.0/],
    ['named like an excepted one', 'libsignal-x', { license: 'GPL-3.0' }, 'dependencies', /is under GPL-3\.0/],
  ]
  test.each(PLANTED)('fails on a package %s', (_, name, more, field, said) => {
    const { status, stderr } = licences(plant(name, more, field))
    expect(status).toBe(1)
    expect(stderr).toMatch(said)
  })

  test('accepts a package with a choice of licences, and one under the MPL that is only used to build', () => {
    expect(licences(plant('planted', { license: '(MIT OR GPL-2.0)' }, 'dependencies')).status).toBe(0)
    expect(licences(plant('planted', { license: 'MPL-2.0' }, 'devDependencies')).status).toBe(0)
    expect(licences(plant('planted', { licenses: [{ type: 'ISC' }] }, 'dependencies')).status).toBe(0)
  })
})

interface Component {
  type: string
  'bom-ref': string
  group?: string
  name: string
  version: string
  purl: string
  licenses: Array<{ license?: { id: string }; expression?: string }>
  hashes?: Array<{ alg: string; content: string }>
  properties?: Array<{ name: string; value: string }>
}
interface Bill {
  bomFormat: string
  specVersion: string
  serialNumber: string
  version: number
  metadata: { component: Component; lifecycles: Array<{ phase: string }> }
  components: Component[]
  dependencies: Array<{ ref: string; dependsOn: string[] }>
}

describe('The bill of materials', () => {
  const file = join(folder, 'sbom.cdx.json')
  const make = (): string => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/sbom.mjs', file], { cwd: ROOT, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return readFileSync(file, 'utf8')
  }
  const text = make()
  const bill = JSON.parse(text) as Bill
  const libraries = bill.components.filter(({ group }) => group !== '@postern')
  const fullName = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`)
  const partsOf = ({ properties = [] }: Component): string[] => properties.map(({ value }) => value)

  test('has the shape of CycloneDX 1.6', () => {
    expect(Object.keys(bill).sort()).toEqual(
      ['bomFormat', 'specVersion', 'serialNumber', 'version', 'metadata', 'components', 'dependencies'].sort(),
    )
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    expect(bill.metadata.lifecycles).toEqual([{ phase: 'build' }])
    expect(bill.metadata.component).toMatchObject({
      type: 'application',
      name: 'postern',
      purl: `pkg:npm/postern@${VERSION}`,
    })
    for (const component of bill.components) {
      expect(component.type).toBe('library')
      expect(component.version).toMatch(/^\d+\.\d+\.\d+/)
      expect(component['bom-ref']).toBe(component.purl)
      expect(component.purl).toBe(`pkg:npm/${fullName(component).replace('@', '%40')}@${component.version}`)
      expect(component.licenses).toHaveLength(1)
      const [{ license, expression } = {}] = component.licenses
      expect(license?.id ?? expression).toMatch(license ? /^[A-Za-z0-9.-]+$/ : / (OR|AND) /)
    }
    const refs = bill.components.map(component => component['bom-ref'])
    expect(new Set(refs).size).toBe(refs.length)
  })

  test('has the digest of the lock file for each package', () => {
    for (const component of libraries) {
      const digests = (component.hashes ?? []).map(({ alg, content }) => {
        expect(alg).toBe('SHA-512')
        expect(content).toMatch(/^[0-9a-f]{128}$/)
        return `sha512-${Buffer.from(content, 'hex').toString('base64')}`
      })
      const locked = packages.filter(
        ([place, { version }]) => nameAt(place) === fullName(component) && version === component.version,
      )
      expect(locked.map(([, { integrity }]) => integrity)).toEqual(expect.arrayContaining(digests))
      expect(digests).toHaveLength(1)
    }
  })

  test('contains only packages that the product depends on, and every reference resolves', () => {
    const edges = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    const reached = new Set([bill.metadata.component['bom-ref']])
    for (const ref of reached) for (const next of edges.get(ref) ?? expect.fail(`${ref} is unknown`)) reached.add(next)
    reached.delete(bill.metadata.component['bom-ref'])
    expect([...reached].sort()).toEqual(bill.components.map(component => component['bom-ref']).sort())
    expect(edges.size).toBe(bill.components.length + 1)
  })

  test('contains what npm installs for production and what the portal is built from, and no tools', () => {
    const npm = installed
      .filter(([place, { dev }]) => dev !== true && !/\/(@types\/.*|undici-types)$/.test(place))
      .map(([place, { version }]) => `${nameAt(place)}@${version}`)
    const inGateway = libraries.filter(component => partsOf(component).includes('gateway'))
    expect(inGateway.map(one => `${fullName(one)}@${one.version}`).sort()).toEqual([...new Set(npm)].sort())
    const inPortal = libraries.filter(component => partsOf(component).includes('portal')).map(fullName)
    const pages = ['react', 'react-dom', 'scheduler', 'radix-ui', 'uplot', 'qr', 'tailwindcss', '@tanstack/router-core']
    expect(inPortal).toEqual(expect.arrayContaining([...pages, '@fontsource-variable/inter']))
    const all = libraries.map(fullName)
    for (const tool of ['vite', 'vitest', 'typescript', 'oxlint', 'axe-core', 'stripe']) expect(all).not.toContain(tool)
    expect(all.sort()).toEqual(product.map(({ name }) => name).sort())
  })

  test('is the same bytes for the same packages, without times, hosts or paths', () => {
    expect(make()).toBe(text)
    expect(text).not.toMatch(/https?:|registry|timestamp|\/home\/|\/work\/|file:/)
  })
})

const nameAt = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
const escaped = (words: string): string => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A repository with one package in it. */
function plant(name: string, manifest: Record<string, unknown>, field: 'dependencies' | 'devDependencies'): string {
  const root = mkdtempSync(join(folder, 'planted-'))
  const write = (path: string, value: unknown): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), JSON.stringify(value))
  }
  write('package-lock.json', {
    packages: { '': { [field]: { [name]: '1.0.0' } }, [`node_modules/${name}`]: { version: '1.0.0' } },
  })
  write('portal/src/none.json', {})
  write(`node_modules/${name}/package.json`, { name, version: '1.0.0', ...manifest })
  return root
}
