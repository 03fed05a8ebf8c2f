import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { runPostern, startProcess } from '../harness/process.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

async function run(args: string[], env: Record<string, string>) {
  const running = runPostern(args, { ...env, POSTERN_PORT: '0' })
  const { code } = await running.exited
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

const SECRET = { POSTERN_SECRET_KEY: randomBytes(32).toString('base64') }
const inSandbox = { ...SECRET, POSTERN_ROLES: 'api,worker,dispatcher,simulator' }
const folders: string[] = []
const emptyFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-move-'))
  folders.push(folder)
  return folder
}

let place: Place
let server: Place
let key: string
let sessionId: string
let messageId: string

/** The customer's view: the number linked, the first message, and a new one that is sent. */
async function expectAtHome(env: Record<string, string>, dataDir: string) {
  const gateway = await startProcess({ ...place, env, dataDir }, inSandbox)
  try {
    const read = async (path: string) => (await ask(gateway.url, 'GET', path, { key })).json
    await until(async () => (await read(`/v1/sessions/${sessionId}`)).state === 'connected')
    expect(await read(`/v1/messages/${messageId}`)).toMatchObject({ id: messageId })
    const body = { session_id: sessionId, to: '15551234567', text: 'after the move' }
    const sent = await until(async () => {
      const { status, json } = await ask(gateway.url, 'POST', '/v1/messages', { key, body })
      return status === 202 && String(json.message_id)
    })
    const isThere = async () => ['sent', 'delivered', 'read'].includes((await read(`/v1/messages/${sent}`)).state)
    await until(isThere)
  } finally {
    gateway.kill('SIGTERM')
    await gateway.exited
  }
}

beforeAll(async () => {
  place = await newPlace('sqlite')
  server = await newPlace('postgres')
  const env = { ...place.env, ...SECRET }
  const created = await run(['account', 'create', '--name', 'Acme', '--plan', 'pro', '--accept-tos'], env)
  key = JSON.parse(created.stdout).api_key.key
  const gateway = await startProcess(place, inSandbox)
  await until(() => /^export POSTERN_SESSION=/m.test(gateway.stdout()))
  const { json } = await ask(gateway.url, 'POST', '/v1/sessions', { key, body: { platform: 'sandbox' } })
  sessionId = json.id
  await until(
    async () => (await ask(gateway.url, 'GET', `/v1/sessions/${sessionId}`, { key })).json.state === 'connected',
  )
  const body = { session_id: sessionId, to: '15551234567', text: 'before the move' }
  messageId = (await ask(gateway.url, 'POST', '/v1/messages', { key, body })).json.message_id
  gateway.kill('SIGTERM')
  await gateway.exited
})
afterAll(() => {
  place.remove()
  server.remove()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('postern backup and restore', () => {
  it('copy the embedded database of a running gateway, and restore it elsewhere', async () => {
    const copy = join(emptyFolder(), 'copy.db')
    const gateway = await startProcess(place, inSandbox)
    const backup = await run(['backup', '--to', copy, '--json'], { ...place.env, ...SECRET })
    gateway.kill('SIGTERM')
    await gateway.exited
    expect([backup.code, backup.stderr]).toEqual([0, ''])
    expect(JSON.parse(backup.stdout)).toMatchObject({ file: copy, accounts: 2, sessions: 2, messages: 1 })
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    const home = emptyFolder()
    const restored = await run(['restore', '--from', copy], { ...SECRET, POSTERN_DATA_DIR: home })
    expect([restored.code, restored.stdout]).toEqual([0, 'Restored 2 accounts, 2 numbers and 1 messages.\n'])
    await expectAtHome({ ...place.env, POSTERN_DATA_DIR: home }, home)
    const again = await run(['restore', '--from', copy], { ...SECRET, POSTERN_DATA_DIR: home })
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('Give --replace to keep it under another name'),
    ])
    const replaced = await run(['restore', '--from', copy, '--replace'], { ...SECRET, POSTERN_DATA_DIR: home })
    expect(replaced.code).toBe(0)
    expect(readdirSync(home).filter(name => name.includes('.before-')).length).toBeGreaterThan(0)
  })

  it('reject a damaged copy, another key, and an existing file', async () => {
    const folder = emptyFolder()
    const file = join(folder, 'copy.db')
    expect((await run(['backup', '--to', file], { ...place.env, ...SECRET })).code).toBe(0)
    const twice = await run(['backup', '--to', file], { ...place.env, ...SECRET })
    expect([twice.code, twice.stderr]).toEqual([1, `postern: ${file} exists already. Name another file.\n`])
    const otherKey = { POSTERN_SECRET_KEY: randomBytes(32).toString('base64'), POSTERN_DATA_DIR: join(folder, 'a') }
    expect((await run(['restore', '--from', file], otherKey)).stderr).toContain('is not the key of this copy')
    writeFileSync(join(folder, 'junk'), 'no database')
    const junk = await run(['restore', '--from', join(folder, 'junk')], {
      ...SECRET,
      POSTERN_DATA_DIR: join(folder, 'b'),
    })
    expect([junk.code, junk.stderr]).toEqual([1, expect.stringContaining('cannot be restored')])
    expect(existsSync(join(folder, 'b', 'postern.db'))).toBe(false)
  })
})

describe('postern move', () => {
  it('moves everything to PostgreSQL and back, and numbers stay linked', async () => {
    const there = server.databaseUrl!
    const moved = await run(['move', '--to', there], { ...place.env, ...SECRET })
    expect([moved.code, moved.stderr]).toEqual([0, ''])
    expect(moved.stdout).toMatch(/^messages: 1 rows, identical in both databases \([0-9a-f]{32}\)$/m)
    const stale = await run(['start'], { ...place.env, ...SECRET })
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('this data was moved to PostgreSQL at')])
    expect(stale.stderr).not.toContain('postgres://')
    await expectAtHome(server.env, server.dataDir)
    const early = await run(['move', '--to', join(emptyFolder(), 'x')], { ...server.env, ...SECRET })
    expect([early.code, early.stdout]).toEqual([0, expect.stringContaining('messages: 2 rows')])
  })

  it('continues after an interruption, and no gateway starts on incomplete data', async () => {
    const home = emptyFolder()
    const copy = join(emptyFolder(), 'copy.db')
    await run(['move', '--take-back'], { ...place.env, ...SECRET })
    await run(['backup', '--to', copy], { ...place.env, ...SECRET })
    await run(['restore', '--from', copy], { ...SECRET, POSTERN_DATA_DIR: home })
    const target = await newPlace('postgres')
    const env = { ...SECRET, POSTERN_DATA_DIR: home }
    const cut = runPostern(['move', '--to', target.databaseUrl!], { ...env, POSTERN_PORT: '0' })
    await until(() => cut.stdout().includes('copied accounts') || cut.stderr() !== '')
    cut.kill('SIGKILL')
    await cut.exited
    const half = await run(['start', '--roles', 'api'], { ...target.env, ...SECRET })
    expect([half.code, half.stderr]).toEqual([1, expect.stringContaining('a move to this database was interrupted')])
    const whole = await run(['move', '--json', '--to', target.databaseUrl!], env)
    expect(whole.code, whole.stderr).toBe(0)
    expect(JSON.parse(whole.stdout).tables).toContainEqual({ table: 'messages', rows: 1, sha256: expect.any(String) })
    const other = await run(['move', '--to', target.databaseUrl!], { ...place.env, ...SECRET })
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('holds data already')])
    target.remove()
  })
})
