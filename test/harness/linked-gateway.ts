import { type Simulator, startSimulator } from './simulator.ts'
import type { SimulatorOptions } from '@postern/simulator/options'
import { type Answer, ask } from './client.ts'
import { OPERATOR_TOKEN } from './gateway.ts'
import { takeSandbox } from './leases.ts'
import { type GatewayProcess, startProcess } from './process.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { openStore, type Place } from './stores.ts'
import { until } from './until.ts'

export interface SandboxNumber {
  /** With its device number, as customers give it. */
  id: string
  /** Without, as events carry it. */
  jid: string
  phone: string
  webhook: { id: string; secret: string }
}

/** A whole gateway in a process that can be killed, with a network and a customer's server that survive it. */
export interface LinkedGateway {
  readonly simulator: Simulator
  readonly receiver: Receiver
  readonly numbers: readonly SandboxNumber[]
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>
  /** Starts the gateway again; resolves when it answers. */
  start(): Promise<void>
  /** What the linked devices have not acknowledged to the network. */
  unacknowledged(): number
  allConnected(): boolean
  /** For requests whose bodies are streams. */
  address(): { url: string; key: string }
  /** The process of the gateway. */
  pid(): number
  /** What the gateway has printed since its first start. */
  output(): string
  close(): Promise<void>
}

export interface LinkedOptions {
  network?: Pick<SimulatorOptions, 'timing' | 'heldMessages' | 'largeFiles' | 'onVisit'>
  env?: Record<string, string>
  /** Runs between the first opening of the store and the first start of the gateway. */
  prepare?: () => void
}

const SETTINGS = {
  POSTERN_ROLES: 'api,worker,dispatcher',
  POSTERN_DISCONNECT_GRACE: '60s',
  POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'error',
}
const UNLIMITED = { messages_per_second: null, messages_per_month: null, requests_per_second: null }

/** Links `count` sandbox numbers, each with a webhook for everything. */
export async function openLinkedGateway(
  place: Place,
  count: number,
  { network, env, prepare }: LinkedOptions = {},
): Promise<LinkedGateway> {
  const simulator = await startSimulator(network)
  const receiver = await startReceiver()
  await publish(place, simulator)
  prepare?.()
  const run = () => startProcess(place, { ...SETTINGS, ...env })
  let gateway: GatewayProcess = await run()
  let printed = ''
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    gateway.kill(signal)
    await gateway.exited
  }
  let ended: string | undefined
  /** Otherwise a wait for a gateway that has died would last as long as the test, and would not show its last words. */
  const watch = (): void => {
    const watched = gateway
    void watched.exited.then(({ code, signal }) => {
      if (gateway === watched) ended = `${signal ?? code} ${watched.stdout()} ${watched.stderr()}`
    })
  }
  watch()
  const close = async (): Promise<void> => {
    await end('SIGKILL')
    await receiver.close()
    await simulator.close()
    place.remove()
  }
  const {
    numbers,
    ask: askGateway,
    key,
  } = await linkNumbers(() => gateway.url, simulator, receiver, count).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const devices = () => simulator.numbers().flatMap(number => number.devices)
  return {
    simulator,
    receiver,
    numbers,
    ask: askGateway,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    start: async () => {
      printed += gateway.stdout() + gateway.stderr()
      gateway = await run()
      ended = undefined
      watch()
    },
    address: () => ({ url: gateway.url, key }),
    pid: () => gateway.pid,
    output: () => printed + gateway.stdout() + gateway.stderr(),
    unacknowledged: () => devices().reduce((sum, device) => sum + device.unacknowledged, 0),
    allConnected: () => {
      if (ended !== undefined) throw new Error(`the gateway has ended: ${ended}`)
      return devices().every(device => device.connected)
    },
    close,
  }
}

/** An account with this many numbers. */
async function linkNumbers(
  url: () => string,
  simulator: Simulator,
  receiver: Receiver,
  count: number,
): Promise<Pick<LinkedGateway, 'numbers' | 'ask'> & { key: string }> {
  const account = { name: 'Linked', plan: 'max', accept_tos: true, limits: UNLIMITED }
  const made = await ask(url(), 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
  const key: string = made.json.api_key.key
  const askGateway: LinkedGateway['ask'] = (method, path, body, headers) =>
    ask(url(), method, path, { key, body, ...(headers && { headers }) })
  const numbers: SandboxNumber[] = []
  for (let i = 0; i < count; i++) {
    numbers.push(await linkNumber(askGateway, simulator, receiver.url(), `999${String(100_000_000 + i)}`))
  }
  return { numbers, ask: askGateway, key }
}

/** Stores the network's address, which workers read at every start. */
export async function publish(place: Place, { url, rootKey, mediaCa, mediaHost }: Simulator): Promise<void> {
  const store = await openStore(place)
  const lease = await takeSandbox(store)
  await store.simulator.publishSimulator({ lease: lease!, address: { url, rootKey, mediaCa, mediaHost } })
  await store.close()
}

export async function linkNumber(
  askGateway: LinkedGateway['ask'],
  simulator: Simulator,
  url: string,
  phone: string,
): Promise<SandboxNumber> {
  const pairing = await expectStatus(
    201,
    askGateway('POST', '/v1/pairings', { method: 'qr', phone, platform: 'sandbox' }),
  )
  const shown = () => askGateway('GET', `/v1/pairings/${pairing.json.id}`)
  await simulator.linkByQr(await until(async () => (await shown()).json.qr as string | undefined), phone)
  const jid = `${phone}@s.whatsapp.net`
  const session = () => askGateway('GET', `/v1/sessions/${encodeURIComponent(jid)}`)
  await until(async () => (await session()).json?.state === 'connected')
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
