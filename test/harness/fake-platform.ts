import { randomBytes } from 'node:crypto'
import type { Command, CommandResult } from '../../src/domain/command.ts'
import type { Failure } from '../../src/domain/failure.ts'
import type { MessageEvent } from '../../src/domain/event.ts'
import type { NewChatCap } from '../../src/domain/session.ts'
import {
  type DeviceRef,
  type DeviceStorage,
  type InboxItem,
  type Interpretation,
  type LinkedDevice,
  type PairingRequest,
  type PairingStep,
  type Platform,
  PlatformError,
  type PlatformReceipt,
  type SessionCallbacks,
} from '../../src/platform/platform.ts'

/** A message that a device sent and the network has. */
export interface Frame {
  sessionId: string
  platformId: string
  to: string
  text: string
  kind: Command['kind']
  link: number
}

/** How the network treats a command: `ack` immediately by default. */
export type Treatment = 'ack' | 'silent' | Failure | { ackAfter: Promise<void> }

interface Link {
  id: number
  storage: DeviceStorage
  callbacks: SessionCallbacks
  isOpen: boolean
  isClosed: boolean
}

interface PairingWait {
  request: PairingRequest
  signal: AbortSignal
  /** Lets the phone accept; `between` runs before the device is handed over. */
  accept(phone: string, between?: () => Promise<unknown>): void
}

/**
 * A messaging network in memory with the rules of the real one: a device has one link, and a second one replaces the
 * first; a received item is durable before it counts as received; sending changes keys first.
 */
export function createFakePlatform() {
  const frames: Frame[] = []
  const executed: Array<{ sessionId: string; command: Command }> = []
  const links = new Map<string, Link>()
  const all: Array<{ sessionId: string; link: Link }> = []
  const unreachable = new Set<string>()
  const pairings: PairingWait[] = []
  const discarded: string[] = []
  const interpretations = new Map<string, (item: InboxItem) => Promise<Interpretation>>()
  let treat: (command: Command, nth: number) => Treatment = () => 'ack'
  const nthOf = new Map<string, number>()
  const refs: DeviceRef[] = []
  let opened = 0
  let delivered = 0

  function close(link: Link, reason: string): void {
    if (!link.isOpen) return
    link.isOpen = false
    link.callbacks.onLink({ state: 'closed', kind: 'lost', reason })
  }

  async function connect(sessionId: string, link: Link): Promise<void> {
    const creds = await link.storage.readCreds()
    if (link.isClosed || unreachable.has(sessionId)) return
    if (creds === undefined) return link.callbacks.onLink({ state: 'logged_out', reason: 'no credentials' })
    const before = links.get(sessionId)
    links.set(sessionId, link)
    if (before !== undefined && before !== link) close(before, 'replaced')
    link.isOpen = true
    link.callbacks.onLink({ state: 'open' })
  }

  async function execute(sessionId: string, link: Link, command: Command, signal: AbortSignal): Promise<CommandResult> {
    if (!link.isOpen) throw new PlatformError({ kind: 'link_down', detail: 'the link is down' })
    executed.push({ sessionId, command })
    const name = 'platformId' in command ? command.platformId : command.kind
    const nth = (nthOf.get(name) ?? 0) + 1
    nthOf.set(name, nth)
    const treatment = treat(command, nth)
    if (typeof treatment === 'object' && 'kind' in treatment) throw new PlatformError(treatment)
    if (command.kind === 'send' || command.kind === 'edit' || command.kind === 'revoke') {
      await leave(sessionId, link, command)
    }
    if (treatment === 'silent') await never(signal)
    if (typeof treatment === 'object') await treatment.ackAfter
    if (command.kind === 'contact_check') {
      const found = (phone: string) => ({ phone, outcome: 'found' as const, jid: `${phone}@s.whatsapp.net` })
      return { kind: 'checked', numbers: command.phones.map(found), budget: { limit: 500, left: 499, resetsAtMs: 0 } }
    }
    if (command.kind === 'send') {
      return { kind: 'sent', atMs: Date.now(), serverId: command.to.endsWith('@newsletter') ? 77 : null }
    }
    return { kind: 'done' }
  }

  async function leave(
    sessionId: string,
    link: Link,
    command: Extract<Command, { kind: 'send' | 'edit' | 'revoke' }>,
  ): Promise<void> {
    const { platformId, to } = command
    const text =
      command.kind === 'send' && command.outgoing.content.type === 'text'
        ? command.outgoing.content.text
        : command.kind === 'edit'
          ? command.text
          : ''
    const seen = { messageId: platformId, chatJid: to, senderJid: sessionId, fromMe: true }
    await link.storage.commit({
      keys: [{ category: 'session', id: to, value: randomBytes(32) }],
      sent: [{ platformId, encoded: Buffer.from(text), seen }],
    })
    if (!link.isOpen) throw new PlatformError({ kind: 'link_down', detail: 'the link is down' })
    frames.push({ sessionId, platformId, to, text, kind: command.kind, link: link.id })
  }

  async function interpret(item: InboxItem): Promise<Interpretation> {
    const scripted = interpretations.get(item.key)
    return scripted ? await scripted(item) : (JSON.parse(Buffer.from(item.body).toString()) as Interpretation)
  }

  const platform: Platform = {
    open(device, storage, callbacks) {
      const link: Link = { id: ++opened, storage, callbacks, isOpen: false, isClosed: false }
      if (!links.has(device.sessionId)) links.set(device.sessionId, link)
      all.push({ sessionId: device.sessionId, link })
      refs.push(device)
      void connect(device.sessionId, link).catch(() => {})
      return {
        execute: (command, signal) => execute(device.sessionId, link, command, signal),
        interpret,
        refreshSettings: () => {},
        unlink: async () => {
          link.isOpen = false
          callbacks.onLink({ state: 'logged_out', reason: 'unlinked' })
        },
        close: async () => {
          link.isClosed = true
          link.isOpen = false
        },
      }
    },
    readOffline: () => ({ interpret }),
    discard: async device => void discarded.push(device.sessionId),
    async pair(request, onStep: (step: PairingStep) => void, signal) {
      const expiresAtMs = Date.now() + 20_000
      onStep(
        request.method === 'qr'
          ? { kind: 'qr', qr: `qr-${randomBytes(4).toString('hex')}`, expiresAtMs }
          : { kind: 'code', code: 'ABCD1234', expiresAtMs, renew: async () => {} },
      )
      const { phone, between } = await new Promise<{ phone: string; between?: () => Promise<unknown> }>(
        (resolve, reject) => {
          pairings.push({
            request,
            signal,
            accept: (phone, between) => resolve({ phone, ...(between && { between }) }),
          })
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
        },
      )
      await between?.()
      onStep({ kind: 'scanned' })
      const device: LinkedDevice = {
        sessionId: `${phone}@s.whatsapp.net`,
        device: 7,
        phone,
        creds: Buffer.from(`creds of ${phone}`),
        keys: [{ category: 'pre-key', id: '1', value: randomBytes(32) }],
      }
      return device
    },
  }

  const linkOf = (sessionId: string): Link => links.get(sessionId)!

  return {
    ...platform,
    frames,
    executed,
    pairings,
    /** Session ids of devices that were linked and then removed. */
    discarded,
    /** The devices that were opened, as the worker named them. */
    refs,
    /** The platform accepts the number again only from this time on. */
    pause: (sessionId: string, untilMs: number): void => {
      unreachable.add(sessionId)
      const link = links.get(sessionId)!
      link.isOpen = false
      links.delete(sessionId)
      link.callbacks.onLink({ state: 'closed', kind: 'paused', reason: 'the platform has banned it', untilMs })
    },
    /** How commands are treated from now on; `nth` counts the attempts of one platform id. */
    treat: (how: (command: Command, nth: number) => Treatment) => {
      treat = how
    },
    isOpen: (sessionId: string): boolean => links.get(sessionId)?.isOpen === true,
    /** Devices that were opened and not closed. */
    openLinks: (sessionId: string): number =>
      all.filter(each => each.sessionId === sessionId && !each.link.isClosed).length,
    linkId: (sessionId: string): number => linkOf(sessionId).id,
    /** Cuts the link; it stays down until `reconnect`. */
    drop: (sessionId: string): void => {
      unreachable.add(sessionId)
      close(linkOf(sessionId), 'dropped')
    },
    reconnect: async (sessionId: string): Promise<void> => {
      unreachable.delete(sessionId)
      if (!linkOf(sessionId).isClosed) await connect(sessionId, linkOf(sessionId))
    },
    logOut: (sessionId: string): void => {
      linkOf(sessionId).isOpen = false
      linkOf(sessionId).callbacks.onLink({ state: 'logged_out', reason: 'device_removed' })
    },
    restrict: (sessionId: string, untilMs: number | null, type: string | null = null): void =>
      linkOf(sessionId).callbacks.onRestricted(untilMs === null ? null : { untilMs, type }),
    capNewChats: (sessionId: string, cap: NewChatCap): void => linkOf(sessionId).callbacks.onNewChatCap(cap),
    autoReject: (sessionId: string) => linkOf(sessionId).callbacks.autoReject(),
    storage: (sessionId: string): DeviceStorage => linkOf(sessionId).storage,
    /** Delivers an item to the session; resolves when the network may delete it. */
    receive: async (sessionId: string, meaning: Interpretation, more: Partial<InboxItem> = {}): Promise<string> => {
      const key = more.key ?? `item-${++delivered}`
      const body = Buffer.from(JSON.stringify(meaning))
      const link = linkOf(sessionId)
      await link.storage.commit({ inbox: [{ kind: 'message', receivedAtMs: Date.now(), body, ...more, key }] })
      return key
    },
    /** Scripts the interpretation of an item, by its key. */
    interpretAs: (key: string, script: (item: InboxItem) => Promise<Interpretation>): void => {
      interpretations.set(key, script)
    },
  }
}

export type FakePlatform = ReturnType<typeof createFakePlatform>

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))

let texts = 0

export const incomingText = (sessionId: string, from: string, text: string): Interpretation => {
  const jid = `${from}@s.whatsapp.net`
  const messageId = `IN${++texts}`
  const event: MessageEvent = {
    kind: 'message',
    message_id: messageId,
    session_id: sessionId,
    sender_jid: jid,
    sender_name: 'Ada',
    chat_jid: jid,
    is_group: false,
    broadcast: false,
    type: 'text',
    text,
    timestamp_unix: Math.floor(Date.now() / 1000),
  }
  return { kind: 'events', events: [event], remember: [{ messageId, chatJid: jid, senderJid: jid, fromMe: false }] }
}

export const receiptOf = (
  platformIds: string[],
  from: string,
  type: PlatformReceipt['type'],
  more: Partial<PlatformReceipt> = {},
): Interpretation => ({
  kind: 'receipts',
  receipts: [{ platformIds, chatNames: [from], recipientJid: from, type, atMs: Date.now(), ...more }],
})
