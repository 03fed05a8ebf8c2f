import { type Simulator, startOpenSimulator } from './simulator.ts'
import type { SimulatorOptions } from '@postern/simulator/options'
import type { Network } from '@postern/simulator/world/network'
import { Value } from 'typebox/value'
import { sendSessionRequest } from '../../src/actions/send-request.ts'
import { startPairing, watchPairing } from '../../src/actions/pair-session.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { CommandResult, SessionRequest } from '../../src/domain/command.ts'
import type { Event } from '../../src/domain/event.ts'
import { phoneJid } from '../../src/domain/jid.ts'
import type { Content, Message, Quote } from '../../src/domain/message.ts'
import { aboutEvent, aboutPairing } from '../../src/domain/sealed.ts'
import { eventSchemas } from '../../src/http/openapi/event-schemas.ts'
import { createTargetPolicy, parseRanges } from '../../src/net/address-guard.ts'
import { createOutbound } from '../../src/net/outbound.ts'
import type { Platform } from '../../src/platform/platform.ts'
import type { WhatsAppOptions } from '../../src/platform/whatsapp/options.ts'
import { createWhatsApp } from '../../src/platform/whatsapp/whatsapp.ts'
import { type HostingBed, openHosting, type SentHandle } from './hosting.ts'
import { expectNoDifferences } from './judged.ts'
import { until as anyUntil } from './until.ts'

/** Everything but HTTP: phones of the simulator, the real engine, a worker, and the store with its events. */
export interface Stack {
  readonly simulator: Simulator & { readonly network: Network }
  readonly platform: Platform
  readonly bed: HostingBed
  /** Pairs a sandbox number in a new account, and waits until it is connected. */
  link(digits: string): Promise<StackNumber>
  close(): Promise<void>
}

export interface StackNumber {
  readonly jid: string
  readonly accountId: string
  /** Events as they are stored for delivery, each checked against the schema of its kind; emptied by `forget`. */
  readonly events: Event[]
  forget(): void
  /** How many stanzas became no event for this reason, in the whole worker. */
  dropped(reason: string): Promise<number>
  /** Queues a message as a request would. */
  send(to: string, content: Content | string, options?: { quote?: Quote; requestKey?: string }): Promise<SentHandle>
  /** The same, and waits until the platform has acknowledged it or it has failed. */
  sendAndSettle(to: string, content: Content | string, options?: { quote?: Quote }): Promise<SentHandle>
  message(handle: SentHandle): Promise<Message>
  run(command: SessionRequest): Promise<CommandResult>
  /** Resolves with the first truthy result; each poll follows a read of new events. */
  until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>>
  /** Waits for the first event of a kind that matches. */
  next<K extends Event['kind']>(
    kind: K,
    fits?: (event: Extract<Event, { kind: K }>) => boolean,
  ): Promise<Extract<Event, { kind: K }>>
}

export interface StackOptions extends SimulatorOptions {
  env?: Record<string, string>
  platform?: Partial<WhatsAppOptions>
  /** Differences from the web client that the tests cause. */
  intended?: readonly string[]
}

const FAST = { POSTERN_ACK_TIMEOUT: '5s', POSTERN_DISCONNECT_GRACE: '6s' }
// The real deadline is a minute.
const DOWNLOAD_MS = 10_000

export async function startStack({ env, platform: more, intended, ...options }: StackOptions = {}): Promise<Stack> {
  const simulator = await startOpenSimulator({ ...options, timing: { readDelayMs: Infinity, ...options.timing } })
  const outbound = createOutbound(
    createTargetPolicy({ clock: systemClock, requireHttps: false, allowedRanges: parseRanges(['127.0.0.0/8']) }),
    { clock: systemClock, timeoutMs: DOWNLOAD_MS },
  )
  const bed = await openHosting('sqlite', { POSTERN_LEASE_TTL: '20s', ...FAST, ...env })
  const platform = await createWhatsApp({
    clock: systemClock,
    network: {
      kind: 'sandbox',
      url: simulator.url,
      rootKey: simulator.rootKey,
      mediaCa: simulator.mediaCa,
      mediaHost: simulator.mediaHost,
    },
    download: request => outbound.download({ ...request, timeoutMs: DOWNLOAD_MS }),
    ackTimeoutMs: 5_000,
    backoff: { lost: [20, 200], replaced: [100, 400] },
    ...more,
  })
  bed.startWorker({}, platform)
  return {
    simulator,
    platform,
    bed,
    link: digits => linkNumber(bed, simulator, digits),
    async close() {
      await bed.close()
      await simulator.close()
      await outbound.close()
      expectNoDifferences(simulator, intended)
    },
  }
}

/** Pairs a sandbox number and follows its events; a worker has to be running. */
export async function linkNumber(bed: HostingBed, simulator: Simulator, digits: string): Promise<StackNumber> {
  const { context, seal } = bed
  const accountId = await bed.addAccount()
  const jid = phoneJid(digits)
  await bed.addWebhook(accountId, jid)
  const request = { accountId, method: 'qr', phone: digits, label: '', platform: 'sandbox' } as const
  // The first scan is lost, as on the platform; the next code is scanned too.
  simulator.faults.pairing.swallowScans(digits)
  const pairing = await startPairing(context, request)
  for await (const step of watchPairing(context, pairing.id, new AbortController().signal)) {
    if (step.status !== 'waiting' || step.step === null) continue
    const { qr } = seal.openJson<{ qr: string }>(step.step, aboutPairing(pairing.id))
    simulator.linkByQr(qr, digits).catch(() => {})
  }
  const number = stackNumber(bed, accountId, jid)
  await number.until(async () => (await bed.store.sessions.getSession(jid))?.state === 'connected')
  await number.next('connection')
  return number
}

function stackNumber(bed: HostingBed, accountId: string, jid: string): StackNumber {
  const seen = new Set<string>()
  const events: Event[] = []

  const read = async (): Promise<void> => {
    const rows = await bed.query<{ id: string }>(
      `select event_id as id from deliveries where session_id = '${jid}' order by id`,
    )
    for (const { id } of rows.filter(row => !seen.has(row.id))) {
      seen.add(id)
      const [row] = await bed.query<{ sealed: Uint8Array }>(
        `select coalesce(d.sealed, e.sealed) as sealed from deliveries d left join events e on e.id = d.event_id
         where d.event_id = '${id}'`,
      )
      events.push(checked(bed.seal.openJson<Event>(row!.sealed, aboutEvent(id))))
    }
  }
  const until: StackNumber['until'] = look =>
    anyUntil(async () => {
      await read()
      return await look()
    })
  const number: StackNumber = {
    jid,
    accountId,
    events,
    forget: () => void events.splice(0),
    dropped: async reason => {
      const { values } = await bed.context.metrics.stanzas.get()
      return values.find(({ labels }) => labels.outcome === 'dropped' && labels.reason === reason)?.value ?? 0
    },
    send: (to, content, options = {}) => bed.send({ accountId, sessionId: jid }, to, content, options),
    sendAndSettle: async (to, content, options) => {
      const handle = await number.send(to, content, options)
      await until(async () => !['queued', 'scheduled'].includes((await number.message(handle)).state))
      return handle
    },
    message: async handle => (await bed.store.messages.getMessage(handle.messageId))!,
    run: command => sendSessionRequest(bed.context, { sessionId: jid, accountId }, command),
    until,
    next: <K extends Event['kind']>(kind: K, fits: (event: Extract<Event, { kind: K }>) => boolean = () => true) => {
      type Wanted = Extract<Event, { kind: K }>
      return until(() => events.find((event): event is Wanted => event.kind === kind && fits(event as Wanted)))
    },
  }
  return number
}

/** Stored events match the reference, with no field more or less. */
function checked(event: Event): Event {
  const { kind } = event
  const { schema } = eventSchemas[kind]
  const [error] = Value.Errors(schema, event)
  if (error) throw new Error(`an event of kind ${kind} is not as described: ${JSON.stringify(error)}`)
  return event
}
