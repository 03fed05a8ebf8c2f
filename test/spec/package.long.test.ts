import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownNpmCache } from '../../scripts/own-npm-cache.mjs'
import { ask } from '../harness/client.ts'
import { follow, readyUrl, type Running, settingsAside } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'

const ROOT = join(import.meta.dirname, '../..')

function npm(args: string[], folder: string, env = settingsAside()): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`)
  return stdout + stderr
}

const PAGE = /<div id="root">|<script type="module"/

describe('The package in an empty folder', () => {
  const place = mkdtempSync(join(tmpdir(), 'postern-package-'))
  const folder = join(place, 'empty')
  const npmEnv = { ...settingsAside(), ...ownNpmCache(place) }
  let tarball = ''
  let running: Running
  let receiver: Receiver
  let url = ''
  beforeAll(async () => {
    mkdirSync(folder)
    npm(['pack', '--pack-destination', folder], ROOT)
    tarball = readdirSync(folder).find(name => name.endsWith('.tgz'))!
    receiver = await startReceiver()
    const env = { ...npmEnv, POSTERN_PORT: '0', POSTERN_LOG_LEVEL: 'error' }
    running = follow(spawn('npx', ['--yes', `./${tarball}`, 'start'], { cwd: folder, env, detached: true }))
    url = await readyUrl(running)
  })
  afterAll(async () => {
    // All of npx, its shell and the gateway.
    process.kill(-running.pid, 'SIGTERM')
    await running.exited
    await receiver.close()
    rmSync(place, { recursive: true, force: true })
  })

  it('starts by `npx ./postern-*.tgz start` without a build, with portal and reference', async () => {
    expect(running.stderr()).not.toMatch(/Building|EBADENGINE/)
    expect((await ask(url, 'GET', '/')).text).toMatch(PAGE)
    expect((await ask(url, 'GET', '/docs')).status).toBe(200)
    expect((await ask(url, 'GET', '/readyz')).status).toBe(200)
    expect(existsSync(join(folder, 'data', 'postern.db'))).toBe(true)
  })

  it('sends from its sandbox number and delivers the resulting events', async () => {
    await until(() => /^export POSTERN_SESSION=/m.test(running.stdout()))
    const key = /^export POSTERN_API_KEY=(ptn_\w{40})$/m.exec(running.stdout())![1]!
    const session = /^export POSTERN_SESSION=(\S+)$/m.exec(running.stdout())![1]!
    const hooks = { session_id: session, messages_url: receiver.url(), status_url: receiver.url() }
    const hook = await ask(url, 'POST', '/v1/webhooks', { key, body: hooks })
    expect(hook.status).toBe(201)
    const body = { session_id: session, to: '+1 555 123 4567', text: 'out of the box' }
    const accepted = await ask(url, 'POST', '/v1/messages', { key, body })
    expect(accepted.status).toBe(202)
    await receiver.until(ledger => ledger.some(({ body: said }) => said.includes(accepted.json.message_id)))
  })

  it('runs on exactly the packages of its own lock file', () => {
    const own = join(folder, 'own')
    mkdirSync(own)
    const unpacked = spawnSync('tar', ['-xzf', tarball, '-C', own, '--exclude=package/node_modules'], { cwd: folder })
    expect(unpacked.status).toBe(0)
    for (const name of ['package.json', 'npm-shrinkwrap.json'])
      cpSync(join(own, 'package/dist/lock', name), join(own, name))
    npm(['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline'], own, npmEnv)
    renameSync(join(own, 'package'), join(own, 'node_modules/postern'))
    const program = join(own, 'node_modules/postern/bin/postern.mjs')
    const shown = spawnSync(process.execPath, [program, 'doctor', '--json'], {
      cwd: folder,
      env: { ...settingsAside(), POSTERN_DATA_DIR: join(own, 'data'), POSTERN_PORT: '0' },
      encoding: 'utf8',
    })
    const { findings } = JSON.parse(shown.stdout) as { findings: Array<{ check: string; ok: boolean }> }
    expect(findings.find(({ check }) => check === 'database')).toMatchObject({ ok: true })
  })

  it('is on the path as `postern` after a global install, and contains nothing that only builds or tests need', async () => {
    const prefix = join(folder, 'global')
    const said = npm(['install', '--global', '--prefix', prefix, '--prefer-offline', `./${tarball}`], folder, npmEnv)
    expect(said).not.toMatch(/EBADENGINE/)
    const shown = spawnSync(join(prefix, 'bin', 'postern'), ['--version'], { cwd: folder, encoding: 'utf8' })
    expect([shown.stdout.trim(), shown.stderr]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/), ''])
    const packages = ['lib/node_modules', 'lib/node_modules/postern/node_modules'].flatMap(place =>
      readdirSync(join(prefix, place)),
    )
    expect(packages).toContain('baileys')
    for (const tool of ['typescript', 'vite', 'vitest', 'react', 'oxlint']) expect(packages).not.toContain(tool)
  })
})
