import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Event } from '../../src/domain/event.ts'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type LinkedGateway, linkNumber, publish, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type PostgresServer, startPostgres } from '../harness/postgres.ts'
import { type GatewayProcess, runPostern, type Running, startProcess } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import type { Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

/** The default setting. */
const TTL_MS = 10_000
const AWAY_MS = 12_000
const SETTINGS = {
  POSTERN_LEASE_TTL: `${TTL_MS}ms`,
  POSTERN_DISCONNECT_GRACE: '2s',
  POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'error',
  POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
}
const CONTACT = '5511905000001'

describe('An outage of PostgreSQL that lasts longer than a lease', () => {
  let server: PostgresServer
  let place: Place
  let simulator: Simulator
  let receiver: Receiver
  let front: GatewayProcess
  const workers: Running[] = []
  const numbers: SandboxNumber[] = []
  let key: string

  const askFront: LinkedGateway['ask'] = (method, path, body) => ask(front.url, method, path, { key, body })
  const startWorker = async (): Promise<void> => {
    const worker = runPostern(['start'], { ...place.env, ...SETTINGS, POSTERN_ROLES: 'worker', POSTERN_PORT: '0' })
    workers.push(worker)
    await until(() => worker.stdout().includes('is ready'))
  }
  const events = (): Event[] => receiver.ledger.map(entry => JSON.parse(entry.body.toString()) as Event)
  const logins = (): number[] => numbers.map(({ jid }) => simulator.faults.logins(jid))

  beforeAll(async () => {
    server = await startPostgres()
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-outage-'))
    const databaseUrl = await server.createDatabase()
    const env = { POSTERN_DATA_DIR: dataDir, POSTERN_DATABASE_URL: databaseUrl }
    place = { kind: 'postgres', dataDir, databaseUrl, env, remove: () => rmSync(dataDir, { recursive: true }) }
    simulator = await startSimulator()
    receiver = await startReceiver()
    await publish(place, simulator)
    front = await startProcess(place, { ...SETTINGS, POSTERN_ROLES: 'api,dispatcher' })
    const account = { name: 'test', plan: 'max', accept_tos: true, limits: { messages_per_second: null } }
    const made = await ask(front.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
    key = made.json.api_key.key
    await startWorker()
    await startWorker()
    for (let i = 0; i < 4; i++) numbers.push(await linkNumber(askFront, simulator, receiver.url(), `99910000000${i}`))
  })
  afterAll(async () => {
    for (const one of [...workers, front]) {
      one.kill('SIGKILL')
      await one.exited
    }
    await receiver.close()
    await simulator.close()
    await server.stop()
    place.remove()
  })

  it('ends no link and publishes nothing; messages during and after it are published and sent', async () => {
    const before = logins()
    await server.halt()
    const haltedAt = performance.now()
    for (const { jid } of numbers) await simulator.phone(CONTACT).sendTo(jid, { type: 'text', text: 'meanwhile' })
    await until(() => performance.now() - haltedAt > AWAY_MS)
    await server.resume()
    await until(() => events().filter(event => event.kind === 'message').length === numbers.length)
    for (const { id } of numbers) {
      const message = { session_id: id, to: CONTACT, text: 'afterwards' }
      await until(async () => (await askFront('POST', '/v1/messages', message)).status === 202)
    }
    const sent = () => events().filter(event => event.kind === 'status' && event.status === 'sent')
    await until(() => sent().length === numbers.length)
    expect(logins()).toEqual(before)
    expect(events().filter(event => event.kind === 'connection')).toEqual([])
  })

  it('does not prevent the replacement of a worker that is killed afterwards', async () => {
    const before = logins()
    workers[0]!.kill('SIGKILL')
    const moved = () => logins().filter((count, i) => count > before[i]!).length
    await until(() => moved() > 0 && simulator.numbers().every(({ devices }) => devices.every(one => one.connected)))
  })
})
