import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Event } from '../../src/domain/event.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type PostgresServer, startPostgres } from '../harness/postgres.ts'
import { type GatewayProcess, type Running, runPostern, startProcess } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import type { Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const TTL_MS = 2_000
/** A limit for steps that take a second or two on an idle machine. */
const NUMBERS = 3
const CONTACTS = 8
const SETTINGS = {
  POSTERN_LEASE_TTL: `${TTL_MS}ms`,
  POSTERN_DISCONNECT_GRACE: '60s',
  POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
}
const UNLIMITED = { messages_per_second: null, messages_per_month: null, requests_per_second: null }

/** The faults of the process that runs the network while phones write; `SEED` selects the first. */
const FAULTS = ['pause', 'restart', 'kill'] as const
const SEED = Number(process.env.SEED ?? 0)
const COUNT = Number(process.env.FAULTS ?? FAULTS.length)
const faults = Array.from({ length: COUNT }, (_, nth) => FAULTS[(nth + SEED) % FAULTS.length]!)

describe('The sandbox network moves between processes while phones write', () => {
  let server: PostgresServer
  let place: Place
  let store: Store
  let front: GatewayProcess
  let receiver: Receiver
  let key: string
  const simulators = new Set<Running>()
  const numbers: string[] = []

  const post = async (path: string, body: unknown) => await ask(front.url, 'POST', path, { key, body })
  const startSimulatorProcess = async (): Promise<void> => {
    const env = { ...place.env, ...SETTINGS, POSTERN_ROLES: 'simulator', POSTERN_PORT: '0', POSTERN_LOG_LEVEL: 'info' }
    const running = runPostern(['start'], env)
    simulators.add(running)
    await until(() => running.stdout().includes('is ready'))
  }
  /** The process that runs the network, according to the database. */
  const leader = async (): Promise<Running | undefined> => {
    const [lease] = await store.leases.listLeases('simulator').catch(() => [])
    const node = lease?.owner?.split('/')[0]
    return node === undefined ? undefined : [...simulators].find(each => each.stdout().includes(`"node":"${node}"`))
  }

  beforeAll(async () => {
    server = await startPostgres()
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-moves-'))
    const databaseUrl = await server.createDatabase()
    place = {
      kind: 'postgres',
      dataDir,
      databaseUrl,
      env: { POSTERN_DATA_DIR: dataDir, POSTERN_DATABASE_URL: databaseUrl },
      remove: () => rmSync(dataDir, { recursive: true, force: true }),
    }
    receiver = await startReceiver()
    front = await startProcess(place, { ...SETTINGS, POSTERN_ROLES: 'api,worker,dispatcher' })
    store = await openPostgresStore({ url: databaseUrl })
    await Promise.all([startSimulatorProcess(), startSimulatorProcess()])
    const account = { name: 'Moves', plan: 'max', accept_tos: true, limits: UNLIMITED }
    key = (await ask(front.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })).json.api_key.key
    for (let i = 0; i < NUMBERS; i++) {
      const made = async () => (await post('/v1/sessions', { platform: 'sandbox' })).json.id as string | undefined
      const id = await until(made)
      const url = receiver.url()
      const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
      await post('/v1/webhooks', { session_id: id, ...urls })
      numbers.push(id)
    }
  })

  afterAll(async () => {
    for (const running of [front, ...simulators]) {
      running.kill('SIGCONT')
      running.kill('SIGKILL')
      await running.exited
    }
    await store.close()
    await receiver.close()
    await server.stop()
    place.remove()
  })

  const cause = {
    /** It wakes up when another process runs the network already, and does not know. */
    pause: async (victim: Running) => {
      victim.kill('SIGSTOP')
      await until(async () => ![undefined, victim].includes(await leader()))
      victim.kill('SIGCONT')
    },
    kill: async (victim: Running) => {
      victim.kill('SIGKILL')
      await victim.exited
      simulators.delete(victim)
      await startSimulatorProcess()
    },
    restart: async () => await server.restart(),
  }

  it('and every request that was answered with 202 becomes one event', async () => {
    const accepted: string[] = []
    let isOver = false
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const number = numbers[(writer + n) % NUMBERS]!
        const path = `/sandbox/sessions/${encodeURIComponent(number)}/incoming`
        const body = { from: `1555200${1_000 + writer}`, type: 'text', text: `${writer} ${n}` }
        const answer = await post(path, body).catch(() => undefined)
        if (answer?.status === 202) accepted.push(answer.json.message_id)
      }
    }
    const writing = Array.from({ length: CONTACTS }, (_, writer) => write(writer))
    for (const fault of faults) {
      const before = accepted.length
      await until(() => accepted.length > before + 50)
      await cause[fault](await until(leader))
    }
    const before = accepted.length
    await until(() => accepted.length > before + 50)
    isOver = true
    await Promise.all(writing)
    /** Published messages, by their event. */
    const published = () =>
      new Map(
        receiver.ledger.flatMap(({ id, body }) => {
          const event = JSON.parse(body.toString()) as Event
          return event.kind === 'message' ? [[id, event.message_id] as const] : []
        }),
      )
    const missing = () => {
      const known = new Set(published().values())
      return accepted.filter(id => !known.has(id))
    }
    await until(() => missing().length === 0).catch(() => {})
    console.log(`${accepted.length} accepted over ${faults.join(', ')}; missing ${missing().length}`)
    expect(missing()).toEqual([])
    expect(published().size).toBe(new Set(published().values()).size)
  })
})
