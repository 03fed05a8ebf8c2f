import { type Simulator, startSimulator } from '@postern/simulator'
import type { SimulatorOptions } from '@postern/simulator/options'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { databasePath } from '../../src/store/sqlite/sqlite-store.ts'
import { type Answer, ask } from './client.ts'
import { OPERATOR_TOKEN } from './gateway.ts'
import { type GatewayProcess, startProcess } from './process.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { newPlace, openStore, type Place } from './stores.ts'
import { until } from './until.ts'
import { takeSandbox } from './leases.ts'

export interface SandboxNumber {
  /** With its device number, as customers give it. */
  id: string
  /** Without, as events carry it. */
  jid: string
  phone: string
  webhook: { id: string; secret: string }
}

/** An event that was ever written to the store. */
export interface Told {
  seq: number
  id: string
  sessionId: string
  kind: string
  dedupeId: string
}

/**
 * A whole gateway in a process that can be killed, linked to a network, and watched by a customer's server, that
 * outlive it.
 */
export interface KillSandbox {
  readonly simulator: Simulator
  readonly receiver: Receiver
  readonly numbers: readonly SandboxNumber[]
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** Starts the gateway again; resolves when it answers. */
  start(): Promise<void>
  /** What the linked devices have not acknowledged to the network. */
  unacknowledged(): number
  allConnected(): boolean
  /** Every event written since this position, whether delivered meanwhile or not. */
  told(afterSeq: number): Told[]
  query<R>(sql: string, ...params: string[]): R[]
  close(): Promise<void>
}

const SETTINGS = {
  POSTERN_ROLES: 'api,worker,dispatcher',
  POSTERN_DISCONNECT_GRACE: '60s',
  POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'error',
}
const UNLIMITED = { messages_per_second: null, messages_per_month: null, requests_per_second: null }

/** Links `numbers` sandbox numbers, each with a webhook for everything. */
export async function openKillSandbox(
  numbers: number,
  options: Pick<SimulatorOptions, 'timing' | 'heldMessages'> = {},
): Promise<KillSandbox> {
  const place = await newPlace('sqlite')
  const simulator = await startSimulator(options)
  const receiver = await startReceiver()
  await publish(place, simulator)
  keepEveryEvent(place)
  const reader = openDatabase(databasePath(place.dataDir), { readOnly: true })
  const query = <R>(sql: string, ...params: string[]): R[] => reader.prepare(sql).all(...params) as R[]
  let gateway: GatewayProcess = await startProcess(place, SETTINGS)
  const account = { name: 'Kills', plan: 'max', accept_tos: true, limits: UNLIMITED }
  const made = await ask(gateway.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
  const key: string = made.json.api_key.key
  const askGateway: KillSandbox['ask'] = (method, path, body, headers) =>
    ask(gateway.url, method, path, { key, body, ...(headers && { headers }) })
  const linked: SandboxNumber[] = []
  for (let i = 0; i < numbers; i++) {
    linked.push(await linkNumber(askGateway, simulator, receiver.url(), `999${String(100_000_000 + i)}`))
  }
  const devices = () => simulator.numbers().flatMap(number => number.devices)
  const kill = async (): Promise<void> => {
    gateway.kill('SIGKILL')
    await gateway.exited
  }
  return {
    simulator,
    receiver,
    numbers: linked,
    ask: askGateway,
    kill,
    start: async () => {
      gateway = await startProcess(place, SETTINGS)
    },
    unacknowledged: () => devices().reduce((sum, device) => sum + device.unacknowledged, 0),
    allConnected: () => devices().every(device => device.connected),
    told: afterSeq =>
      query<Told>(
        `select seq, id, session_id as "sessionId", kind, dedupe_id as "dedupeId" from told
         where seq > cast(? as integer) order by seq`,
        String(afterSeq),
      ),
    query,
    close: async () => {
      await kill()
      reader.close()
      await receiver.close()
      await simulator.close()
      place.remove()
    },
  }
}

/** Leaves the network's address in the store, where workers look for it at every start. */
export async function publish(place: Place, { url, rootKey, mediaCa, mediaHost }: Simulator): Promise<void> {
  const store = await openStore(place)
  const lease = await takeSandbox(store)
  await store.sandbox.publishSimulator({ lease: lease!, address: { url, rootKey, mediaCa, mediaHost } })
  await store.close()
}

/** Events leave the store once they are delivered; this table gets each in the same commit and keeps it. */
function keepEveryEvent(place: Place): void {
  const database = openDatabase(databasePath(place.dataDir), { readOnly: false })
  database.exec(`
    create table told (seq integer primary key, id text, session_id text, kind text, dedupe_id text);
    create trigger tell after insert on deliveries when new.origin = 'event' begin
      insert into told (id, session_id, kind, dedupe_id) values (new.event_id, new.session_id, new.kind, new.dedupe_id);
    end`)
  database.close()
}

export async function linkNumber(
  askGateway: KillSandbox['ask'],
  simulator: Simulator,
  url: string,
  phone: string,
): Promise<SandboxNumber> {
  const pairing = await expectStatus(
    201,
    askGateway('POST', '/v1/pairings', { method: 'qr', phone, platform: 'sandbox' }),
  )
  const shown = () => askGateway('GET', `/v1/pairings/${pairing.json.id}`)
  await simulator.linkByQr(await until(async () => (await shown()).json.qr as string | undefined, 20_000), phone)
  const jid = `${phone}@s.whatsapp.net`
  const session = () => askGateway('GET', `/v1/sessions/${encodeURIComponent(jid)}`)
  await until(async () => (await session()).json?.state === 'connected', 20_000)
  const { id } = (await session()).json
  const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
  const webhook = await expectStatus(201, askGateway('POST', '/v1/webhooks', { session_id: id, ...urls }))
  return { id, jid, phone, webhook: { id: webhook.json.id, secret: webhook.json.secret } }
}

export async function expectStatus(status: number, asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked
  if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}
