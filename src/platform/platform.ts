import type { ChatChange, LabelChange } from '../domain/chat.ts'
import type { CommandResult, SessionCommand } from '../domain/command.ts'
import type { FirstHistory, HistoryProgress, WaitingHistory } from '../domain/history.ts'
import type {
  ChatEvent,
  ContactEvent,
  Event,
  GroupEvent,
  MessageEvent,
  NewsletterEvent,
  PersonEvent,
} from '../domain/event.ts'
import type { Failure } from '../domain/failure.ts'
import type { ForEndpoints, IncludeWord } from '../domain/include.ts'
import type { PasskeyAssertion, PasskeyOptions } from '../domain/passkey.ts'
import type { PlatformFlag } from '../domain/platform-flags.ts'
import type { Proxy } from '../domain/proxy.ts'
import type { Addressing, NewChatCap, Restriction } from '../domain/session.ts'

/** A messaging network, as the worker sees it. It exposes no type of the library behind it. */
export interface Platform {
  /**
   * Links a new device. Reports codes through `onStep`; resolves when the phone has accepted. Rejects with
   * PairingRefused if the pairing can never succeed.
   */
  pair(request: PairingRequest, onStep: (step: PairingStep) => void, signal: AbortSignal): Promise<LinkedDevice>
  /**
   * Opens a linked device and keeps it open, reconnecting automatically. Network failures are not thrown: `onLink`
   * reports them.
   */
  open(device: DeviceRef, storage: DeviceStorage, callbacks: SessionCallbacks): PlatformSession
  /** Interprets, from its storage alone, what a device received whose link is permanently over. */
  readOffline(device: DeviceRef, storage: DeviceStorage): Pick<PlatformSession, 'interpret'>
  /** Removes a device that was linked and will not be hosted. Rejects if the platform did not remove it. */
  discard(device: LinkedDevice, signal: AbortSignal): Promise<void>
}

export interface PlatformSession {
  /** Runs one command to its end: a send ends with the platform's ack. Rejects only with PlatformError. */
  execute(command: SessionCommand, signal: AbortSignal): Promise<CommandResult>
  /**
   * Turns a received item into events and fetches what is missing (media, phone numbers). Called for each inbox item in
   * order of arrival, again after a crash, also for items of an earlier process.
   */
  interpret(item: InboxItem, signal: AbortSignal): Promise<Interpretation>
  /** The same for an item that needs nothing but what is in memory; `undefined` for all others. */
  interpretNow?(item: InboxItem): Interpretation | undefined
  /** The results of `appearsOnline` and `followsChats` may have changed. */
  refreshSettings(): void
  /** Unlinks the device on the platform; the link ends with `logged_out`. */
  unlink(): Promise<void>
  /** Ends the link but keeps the device linked; nothing is emitted or written after it resolves. */
  close(): Promise<void>
}

export interface DeviceRef {
  /** The JID without device number. */
  sessionId: string
  device: number
  /** The account: accounts take turns where files are examined and converted. Without it, the number counts as an account. */
  owner?: string
  /** The platform rejects logins before this time. */
  notBeforeMs?: number
  /** All connections to the network go through it, or none is made. */
  proxy?: Proxy | null
}

export interface LinkedDevice extends DeviceRef {
  phone: string
  /** The library's state, which the worker writes to `DeviceStorage` together with the session. */
  creds: Uint8Array
  keys: KeyChange[]
}

export type PairingRequest = ({ method: 'qr' } | { method: 'code'; phone: string }) & { proxy?: Proxy | null }
export type PairingStep =
  | { kind: 'qr'; qr: string; expiresAtMs: number }
  /**
   * `renew` resolves when another code, or the reason why there is none, has been reported; rejects with PlatformError.
   */
  | { kind: 'code'; code: string; expiresAtMs: number; renew(): Promise<void> }
  | { kind: 'scanned' }
  /** The code that was shown has expired, and the next is requested. */
  | { kind: 'renewing' }
  /**
   * The platform requires an assertion of the number's passkey. `answer` rejects with PlatformError if it is rejected.
   */
  | {
      kind: 'passkey'
      options: PasskeyOptions
      expiresAtMs: number
      /** With `compareCodes` the user compares codes, even if it can be proven that the phone has scanned this code. */
      answer(assertion: PasskeyAssertion, compareCodes: boolean): Promise<void>
    }
  /** The phone shows the same code: the user has to confirm that. */
  | { kind: 'confirm'; code: string; expiresAtMs: number; confirm(): Promise<void> }
  /** Why there is no code for now; another attempt follows, at `retryAtMs` if that is known. */
  | { kind: 'trouble'; why: string; retryAtMs?: number }

export interface KeyChange {
  category: string
  id: string
  /** `null` removes the key. */
  value: Uint8Array | null
}

/**
 * The durable state of one device, given by the worker: sealed, and fenced by its lease. When `commit` resolves, all
 * of the change is on disk; when it rejects, none of it may be relied on and the link has to end.
 */
export interface DeviceStorage {
  readCreds(): Promise<Uint8Array | undefined>
  readKeys(category: string, ids: string[]): Promise<Map<string, Uint8Array>>
  commit(change: DeviceChange): Promise<void>
  /** Which of these inbox keys are stored already, handled or not. */
  knownInboxKeys(keys: string[]): Promise<Set<string>>
  /** How often unfinished messages were begun, by inbox key. */
  readTries(): Promise<Map<string, number>>
  /** Stores how often these messages were begun, until `DeviceChange.finished` names the key; 0 removes a count. */
  recordTries(tries: ReadonlyMap<string, number>): Promise<void>
  /** The message that was sent under this platform id, for a recipient's device that requests it again. */
  readSent(platformId: string): Promise<Uint8Array | undefined>
  /**
   * A message of this session, received (`Interpretation.remember`) or sent, by its platform id. Senders choose ids, so
   * a caller that needs a certain message passes each name of its chat too.
   */
  readSeen(messageId: string, chats?: string[]): Promise<SeenMessage | undefined>
  /** Whether an endpoint wants the events of this session that only this word includes. */
  isIncluded(word: IncludeWord): Promise<boolean>
  /** The request for older messages that the number's phone answers; `undefined` if it is over. */
  findHistory?(platformId: string): Promise<WaitingHistory | undefined>
  /** The job for the history that the phone sends after linking; `undefined` if there is none, or it is over. */
  findFirstHistory?(): Promise<FirstHistory | undefined>
  /** Keeps received files for customers who want their ids. */
  files?: ReceivedFiles
  /** Whether the storage is unreachable now: calls wait until it answers. */
  isUnavailable?(): boolean
}

/** A file that a person sent to the number. */
export interface ReceivedFile {
  mimetype: string
  filename: string | null
  /** What the platform needs to fetch the file, for `sourceOf`. */
  source: Uint8Array
  /** The claim of the sender, unless the bytes are given. */
  length: number
  bytes?: Uint8Array
}

export interface KeptFile {
  id: string
  /** Whether its bytes are stored; else they are fetched when a customer asks for them. */
  isStored: boolean
}

export interface ReceivedFiles {
  readonly maxBytes: number
  /** `undefined` if the account has no room for another file. */
  keep(file: ReceivedFile): Promise<KeptFile | undefined>
  /** The source of a file whose bytes are not stored; `undefined` for all others. */
  sourceOf(id: string): Promise<Uint8Array | undefined>
  /** Whether the account has room for the bytes of such a file, as its sender claims them. */
  hasRoomFor(id: string): Promise<boolean>
  /** Stores the bytes of such a file; if `content` throws, nothing is stored. */
  fill(id: string, content: AsyncIterable<Uint8Array>): Promise<'kept' | 'full'>
}

/** Written as one transaction. An inbox item whose key is stored already is skipped. */
export interface DeviceChange {
  creds?: Uint8Array
  keys?: KeyChange[]
  inbox?: InboxItem[]
  sent?: SentCopy[]
  /** What the number's own doing changes in chats, if they are followed. */
  chats?: ChatChange[]
  /** Inbox keys of finished messages: their counts of tries are deleted. */
  finished?: string[]
}

/** A message about to leave, durable before it does. */
export interface SentCopy {
  platformId: string
  /** For `readSent`; kept 7 days. */
  encoded: Uint8Array
  /** For `readSeen`; with the secret of a poll kept 90 days. */
  seen: SeenMessage
}

/** A received item, durable before it is acknowledged to the platform. */
export interface InboxItem {
  /** Unique in the session: a redelivered stanza has the same key. */
  key: string
  /**
   * The kind of stanza: `message`, `receipt`, `call`, `notification`, `presence`, `chatstate`; or `file_message`, a
   * message with a file whose download may be slow; or `person`, people whose names the device has learned; or
   * `settings`, what the number's phone shares of chats.
   */
  kind: string
  receivedAtMs: number
  /**
   * Items of one chat are interpreted in order of arrival, those of different chats concurrently, so that slow media
   * delays only its own chat. Absent: in order with all other items without a chat.
   */
  chat?: string
  /** Opaque to all code but the platform. */
  body: Uint8Array
  /** It can never be interpreted: it is stored sealed for the operator to examine, and skipped. */
  poison?: true
}

/** The meaning of an inbox item. Receipts are raw: the worker knows which messages the gateway sent. */
export type Interpretation =
  | {
      kind: 'events'
      events: Array<
        | Exclude<Event, { kind: 'receipt' | 'status' | 'connection' }>
        | GroupEvent
        | ContactEvent
        | PersonEvent
        | ChatEvent
        | NewsletterEvent
      >
      forEndpoints?: ForEndpoints
      /** What else the item shows; `forEndpoints` is not about these events. */
      furtherEvents?: ContactEvent[]
      remember?: SeenMessage[]
      chats?: ChatChange[]
    }
  | { kind: 'receipts'; receipts: PlatformReceipt[] }
  /** No event; the reason is counted in `/metrics`. */
  | { kind: 'none'; reason: string; chats?: ChatChange[] }
  /** What the number's phone shares of chats and its owner; `isWhole`: with this the gateway has all of it. */
  | {
      kind: 'chats'
      events: Array<ChatEvent | ContactEvent>
      chats: ChatChange[]
      labels: LabelChange[]
      isWhole: boolean
    }
  /** Older messages that a customer has asked the number's phone for. */
  | {
      kind: 'history'
      messages: HistoricMessage[]
      progress: HistoryProgress
    }
  /** A part of the history after linking: too much for one commit. Each slice is published before the next is read. */
  | {
      kind: 'first_history'
      jobId: string
      /** Throws `HistoryUnreadable` if what follows cannot be read now. */
      slices(signal: AbortSignal): AsyncIterable<FirstMessage[]>
      /** After the last slice, or once a part that cannot be read is given up. */
      progress(isRead: boolean): HistoryProgress
    }

export interface HistoricMessage {
  event: MessageEvent
  forEndpoints: ForEndpoints
  seen: SeenMessage
}

export interface FirstMessage extends HistoricMessage {
  /** The keys of the inbox item with which the platform may deliver the same message. */
  inboxKeys: string[]
}

/** What later replies, reactions, votes and answers need of a message; kept 30 days, polls and events 90. */
export interface SeenMessage {
  messageId: string
  chatJid: string
  senderJid: string
  fromMe: boolean
  /** The key material for encrypted votes, answers, edits, reactions and comments on the message. */
  secret?: Uint8Array
  /** A poll or an event, which people answer long after it was sent. */
  isAnswered?: true
}

/** The author belongs to the chat; the worker knows whether the messages were sent to that chat. */
export interface PlatformReceipt {
  platformIds: string[]
  /** Every known name of the chat: a direct chat has the names of the person. */
  chatNames: string[]
  recipientJid: string
  type: 'delivered' | 'read' | 'played'
  atMs: number
}

export interface SessionCallbacks {
  onLink(link: LinkChange): void
  /** A stanza ended without an inbox item; the reason is counted. */
  onDropped(reason: string): void
  /** The number may not write to new contacts for some time (error 463); `null`: it may again. */
  onRestricted(restriction: Restriction | null): void
  /** Whether a restriction is known that is not over yet. */
  isRestricted(): boolean
  /** The platform reports its limit of new chats. */
  onNewChatCap(cap: NewChatCap): void
  /** The platform has refused a message with this code. */
  onRefused(code: number): void
  /** Whether the platform refuses or ignores every message, even after a new login. */
  onSendsFailing(areFailing: boolean): void
  /** The platform turns on something for this number that clients have to follow. */
  onFlag(flag: PlatformFlag): void
  /** The kind of name that direct messages use. */
  addressing(): Addressing
  /**
   * Whether contacts see the number online. The platform sends typing and presence only to such a number, and its phone
   * no notifications meanwhile. The number also appears online while it shows a typing sign.
   */
  appearsOnline(): boolean
  /** Whether the gateway keeps a list of the number's chats. */
  followsChats(): boolean
  /** The outcome of a direct message, with the kind of name that it used. */
  onAddressed(form: 'lid' | 'pn', outcome: AddressedOutcome): void
  /** Waits until this number may log in. The caller calls the returned function when the login is over. */
  acquireLoginSlot?(signal: AbortSignal): Promise<ReleaseLoginSlot>
  /** Calls are rejected automatically while this returns settings. */
  autoReject(): { message: string | null } | null
}

/** `answered`: the platform accepted the login or gave a reason for its rejection. */
export type LoginOutcome = 'answered' | 'unanswered'
export type ReleaseLoginSlot = (outcome: LoginOutcome) => void

export type AddressedOutcome = 'sent' | 'refused_400' | 'refused_463' | 'refused_475' | 'refused_other' | 'unanswered'

/**
 * Why a link is down: a network failure, a failure of the number's proxy, a busy platform, another process, a temporary
 * ban, a rejection that the operator has to resolve.
 */
export type ClosedKind = 'lost' | 'proxy' | 'busy' | 'replaced' | 'paused' | 'refused'

export type LinkChange =
  | { state: 'open' }
  /**
   * `untilMs`: no login is tried before. `isOutdated`: the platform requires a newer web client. `isBan`: it has banned
   * the number.
   */
  | { state: 'closed'; kind: ClosedKind; reason: string; untilMs?: number; isOutdated?: true; isBan?: true }
  /** The platform unlinked the device, or will never accept it again. */
  | { state: 'logged_out'; reason: string; isBan?: true }

/** The pairing cannot succeed; the message is for the user: the reason, and what to do. */
export class PairingRefused extends Error {
  override name = 'PairingRefused'
}

/** The stored state of a device cannot be read now, so a missing entry proves nothing. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
}

/** A part of a history cannot be read now: another attempt leaves out the messages that are published. */
export class HistoryUnreadable extends Error {
  override name = 'HistoryUnreadable'

  constructor() {
    super('a part of the history cannot be read')
  }
}

/** A command failed; if the failure is `transient`, it may be retried with the same platform id. */
export class PlatformError extends Error {
  override name = 'PlatformError'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.detail)
    this.failure = failure
  }
}

/** A user's input to a pairing, or request for a new code, failed; `detail` explains why. */
export const pairingFailure = (detail: string): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'SEND_FAILED', detail })
