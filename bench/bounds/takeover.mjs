import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, runStatement } from '../shared/postgres.mjs'
import { openAccount, startGateway, until } from './gateway.mjs'

const NUMBERS = 4
export const LEASE_MS = 10_000

/**
 * Two workers on one database share some numbers, and one of them ends by this signal. Returns how long it takes until
 * the other holds all numbers and a message through each of them is sent.
 */
export async function measureTakeover(signal) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bounds-'))
  const postgres = await startPostgres()
  const env = {
    POSTERN_DATA_DIR: folder,
    POSTERN_DATABASE_URL: await postgres.createDatabase(),
    POSTERN_LEASE_TTL: `${LEASE_MS}ms`,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const api = await startGateway({ ...env, POSTERN_ROLES: 'api,dispatcher,simulator' })
  const worker = () => startGateway({ ...env, POSTERN_ROLES: 'worker' })
  const first = await worker()
  const account = await openAccount(api.url)
  const sessions = []
  for (let n = 0; n < NUMBERS; n++) sessions.push(await account.ask('POST', '/v1/sessions', { platform: 'sandbox' }))
  const owners = async () => {
    const rows = await runStatement(env.POSTERN_DATABASE_URL, "select owner from leases where kind = 'session'")
    return rows.map(({ owner }) => owner)
  }
  const [dying] = await until(async () =>
    (await owners()).every(owner => owner !== null) ? await owners() : undefined,
  )
  const second = await worker()
  await until(async () => new Set(await owners()).size === 2)
  const began = performance.now()
  const ended = first.end(signal)
  await until(async () => (await owners()).every(owner => owner !== null && owner !== dying))
  const sent = sessions.map(({ id }) =>
    sendAndWait(account, { session_id: id, to: '15551234567', text: 'still there?' }),
  )
  await Promise.all(sent)
  const tookMs = performance.now() - began
  await ended
  for (const each of [second, api]) await each.end('SIGTERM')
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
  return tookMs
}

/** Resolves when the platform has accepted the message. */
export async function sendAndWait(account, message) {
  const { message_id: id } = await account.ask('POST', '/v1/messages', message)
  const isSent = async () =>
    ['sent', 'delivered', 'read'].includes((await account.ask('GET', `/v1/messages/${id}`)).state)
  await until(isSent)
}
