import { type Simulator, startOpenSimulator } from './simulator.ts'
import type { SimulatorOptions } from '@postern/simulator/options'
import type { Network } from '@postern/simulator/world/network'
import { systemClock } from '../../src/runtime/clock.ts'
import type { CommandResult, SessionCommand } from '../../src/domain/command.ts'
import type { Event } from '../../src/domain/event.ts'
import { makeId, makePlatformId } from '../../src/domain/ids.ts'
import type { Content, Quote } from '../../src/domain/message.ts'
import type { Addressing } from '../../src/domain/session.ts'
import { createTargetPolicy, parseRanges } from '../../src/net/address-guard.ts'
import { createOutbound } from '../../src/net/outbound.ts'
import type {
  InboxItem,
  Interpretation,
  LinkChange,
  LinkedDevice,
  Platform,
  PlatformReceipt,
  PlatformSession,
} from '../../src/platform/platform.ts'
import type { WhatsAppOptions } from '../../src/platform/whatsapp/options.ts'
import type { ClientVersions } from '../../src/platform/whatsapp/version/client-versions.ts'
import { createWhatsApp, type WhatsAppNetwork } from '../../src/platform/whatsapp/whatsapp.ts'
import { createDeviceStorage, type TestStorage } from './device-storage.ts'
import { expectNoDifferences } from './judged.ts'
import { until } from './until.ts'

/** The real engine with the simulator, and a storage that can be made to fail. */
export interface Rig {
  readonly simulator: Simulator & { readonly network: Network }
  readonly platform: Platform
  /** Links a new number and hosts it. */
  link(digits: string): Promise<Hosted>
  pair(digits: string): Promise<LinkedDevice>
  host(device: LinkedDevice, storage?: TestStorage): Hosted
  close(): Promise<void>
}

/** A number hosted as by a worker: its inbox is interpreted item by item. */
export interface Hosted {
  readonly device: LinkedDevice
  readonly jid: string
  readonly session: PlatformSession
  readonly storage: TestStorage
  readonly links: LinkChange[]
  readonly events: Event[]
  readonly receipts: PlatformReceipt[]
  /** Reasons why stanzas became no event, with their counts. */
  readonly reasons: Map<string, number>
  /** The ends of restrictions that were reported. */
  readonly restrictions: number[]
  autoReject: { message: string | null } | null
  addressing: Addressing
  appearsOnline: boolean
  /** The addressing of each direct message, and its outcome. */
  readonly addressed: string[]
  /** Interprets nothing while true: items stay in the inbox. */
  paused: boolean
  run(command: SessionCommand): Promise<CommandResult>
  send(to: string, content: Content, options?: { platformId?: string; quote?: Quote }): Promise<CommandResult>
  /** Resolves with the first truthy result. */
  until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>>
  open(): Promise<void>
  close(): Promise<void>
  /** Acts as if its process had died: it is never closed. */
  abandon(): void
}

export type RigOptions = SimulatorOptions & {
  platform?: Partial<WhatsAppOptions>
  versions?: (network: WhatsAppNetwork) => ClientVersions
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const simulator = await startOpenSimulator({ timing: { readDelayMs: Number.POSITIVE_INFINITY }, ...options })
  const policy = createTargetPolicy({
    clock: systemClock,
    requireHttps: false,
    allowedRanges: parseRanges(['127.0.0.0/8']),
  })
  const outbound = createOutbound(policy, { clock: systemClock, timeoutMs: 10_000 })
  const network: WhatsAppNetwork = {
    kind: 'sandbox',
    url: simulator.url,
    rootKey: simulator.rootKey,
    mediaCa: simulator.mediaCa,
    mediaHost: simulator.mediaHost,
  }
  const platform = await createWhatsApp({
    clock: systemClock,
    network,
    ...(options.versions && { versions: options.versions(network) }),
    download: outbound.download,
    ackTimeoutMs: 10_000,
    backoff: { lost: [20, 200], replaced: [100, 400] },
    ...options.platform,
  })
  const hosted = new Set<Hosted>()
  const pair = (digits: string) => pairNumber(platform, simulator, digits)
  const host = (device: LinkedDevice, storage?: TestStorage): Hosted => {
    const made = hostDevice(platform, device, storage ?? createDeviceStorage(device))
    hosted.add(made)
    return made
  }
  return {
    simulator,
    platform,
    pair,
    host,
    async link(digits) {
      const made = host(await pair(digits))
      await made.open()
      return made
    },
    async close() {
      await Promise.all([...hosted].filter(one => !abandoned.has(one)).map(one => one.close()))
      await simulator.close()
      await outbound.close()
      expectNoDifferences(simulator)
    },
  }
}

/** The simulator loses its first scan, as the platform does; the next code is scanned too. */
async function pairNumber(platform: Platform, simulator: Simulator, digits: string): Promise<LinkedDevice> {
  simulator.faults.pairing.swallowScans(digits)
  return platform.pair(
    { method: 'qr' },
    step => {
      if (step.kind === 'qr') simulator.linkByQr(step.qr, digits).catch(() => {})
    },
    new AbortController().signal,
  )
}

const abandoned = new WeakSet<Hosted>()

export function hostDevice(platform: Platform, device: LinkedDevice, storage: TestStorage): Hosted {
  const count = (reason: string) => void hosted.reasons.set(reason, (hosted.reasons.get(reason) ?? 0) + 1)
  const closing = new AbortController()
  let pumping = Promise.resolve()
  const handled = new Set<string>()

  const record = (item: InboxItem, meaning: Interpretation) => {
    handled.add(item.key)
    if (meaning.kind === 'none') return count(meaning.reason)
    if (meaning.kind === 'receipts') hosted.receipts.push(...meaning.receipts)
    else if (meaning.kind === 'chats') count('settings')
    else if (meaning.kind === 'history' || meaning.kind === 'first_history') count('history')
    else {
      // No endpoint of the rig includes the changes of groups.
      hosted.events.push(...(meaning.events as Event[]))
      for (const seen of meaning.remember ?? []) storage.seen.set(seen.messageId, seen)
    }
  }
  const pump = async () => {
    for (const item of storage.inbox.values()) {
      if (hosted.paused || closing.signal.aborted) return
      if (handled.has(item.key)) continue
      const poison: Interpretation = { kind: 'none', reason: 'poison' }
      record(item, item.poison ? poison : await hosted.session.interpret(item, closing.signal))
    }
  }
  const schedule = () => {
    pumping = pumping.then(pump).catch((error: unknown) => {
      if (!closing.signal.aborted) count(`interpretation failed: ${String(error)}`)
    })
  }
  const hosted: Hosted = {
    device,
    jid: device.sessionId,
    storage,
    links: [],
    events: [],
    receipts: [],
    reasons: new Map(),
    restrictions: [],
    autoReject: null,
    addressing: 'auto',
    appearsOnline: true,
    addressed: [],
    paused: false,
    session: platform.open({ sessionId: device.sessionId, device: device.device }, storage, {
      onLink: change => void hosted.links.push(change),
      onDropped: count,
      onRefused: () => {},
      onRestricted: restriction => void (restriction && hosted.restrictions.push(restriction.untilMs)),
      isRestricted: () => false,
      onNewChatCap: () => {},
      onSendsFailing: () => {},
      onFlag: () => {},
      autoReject: () => hosted.autoReject,
      addressing: () => hosted.addressing,
      appearsOnline: () => hosted.appearsOnline,
      followsChats: () => false,
      onAddressed: (form, outcome) => void hosted.addressed.push(`${form} ${outcome}`),
    }),
    run: command => hosted.session.execute(command, closing.signal),
    send: (to, content, options = {}) =>
      hosted.run({
        kind: 'send',
        messageId: makeId('msg'),
        platformId: options.platformId ?? makePlatformId(),
        to,
        outgoing: { content, quote: options.quote ?? null },
      }),
    until,
    open: async () => void (await hosted.until(() => hosted.links.at(-1)?.state === 'open')),
    async close() {
      closing.abort()
      await hosted.session.close()
    },
    abandon() {
      closing.abort()
      abandoned.add(hosted)
    },
  }
  storage.onInbox = schedule
  // Items of an earlier process are processed first.
  schedule()
  return hosted
}

export const text = (words: string): Content => ({ type: 'text', text: words, mentions: [], linkPreview: false })

/** Makes the contact trust the number already, so that its next message brings no token. */
export function giveToken({ simulator }: Rig, { digits }: { digits: string }, { device }: Hosted): void {
  simulator.network.users.get(digits)?.trusts.set(device.phone, Math.floor(systemClock.now().getTime() / 1000))
}
