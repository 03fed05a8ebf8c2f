import type { CommandResult, SessionCommand } from '../domain/command.ts'
import type { Event } from '../domain/event.ts'
import type { Failure } from '../domain/failure.ts'
import type { PasskeyAssertion, PasskeyOptions } from '../domain/passkey.ts'
import type { Addressing } from '../domain/session.ts'

/** A messaging network, as the worker sees it. No type of the library behind it passes this door. */
export interface Platform {
  /**
   * Links a new device. Reports codes through `onStep`; resolves when the phone has accepted. Rejects with
   * PairingRefused where no phone can accept, whatever is tried.
   */
  pair(request: PairingRequest, onStep: (step: PairingStep) => void, signal: AbortSignal): Promise<LinkedDevice>
  /**
   * Opens a linked device and keeps it open, reconnecting by itself. Trouble with the network is not thrown: it
   * arrives through `onLink`.
   */
  open(device: DeviceRef, storage: DeviceStorage, callbacks: SessionCallbacks): PlatformSession
  /** Interprets what a device received whose link is over for good, from its storage alone. */
  readOffline(device: DeviceRef, storage: DeviceStorage): Pick<PlatformSession, 'interpret'>
  /** Removes a device that was linked and will not be hosted. Rejects where the platform did not take it back. */
  discard(device: LinkedDevice, signal: AbortSignal): Promise<void>
}

export interface PlatformSession {
  /** Runs one command to its end: a send ends with the platform's ack. Rejects with PlatformError and nothing else. */
  execute(command: SessionCommand, signal: AbortSignal): Promise<CommandResult>
  /**
   * Turns something received into the events it means, fetching what is missing (media, phone numbers). Called for
   * each item of the inbox in order of arrival, again after a crash; may be called for items of an earlier process.
   */
  interpret(item: InboxItem, signal: AbortSignal): Promise<Interpretation>
  /** Unlinks the device on the platform; the link ends with `logged_out`. */
  unlink(): Promise<void>
  /** Ends the link without a word to the platform's user; nothing is emitted or written after it resolves. */
  close(): Promise<void>
}

export interface DeviceRef {
  /** The JID without device number. */
  sessionId: string
  device: number
  /** The platform has said that nobody may log in before. */
  notBeforeMs?: number
}

export interface LinkedDevice extends DeviceRef {
  phone: string
  /** Everything the library must find again in `DeviceStorage`: written by the worker together with the session. */
  creds: Uint8Array
  keys: KeyChange[]
}

export type PairingRequest = { method: 'qr' } | { method: 'code'; phone: string }
export type PairingStep =
  | { kind: 'qr'; qr: string; expiresAtMs: number }
  /** `renew` resolves when another is shown in its place, or why there is none; rejects with PlatformError. */
  | { kind: 'code'; code: string; expiresAtMs: number; renew(): Promise<void> }
  | { kind: 'scanned' }
  /** The code on show is no longer good, and the next is on its way. */
  | { kind: 'renewing' }
  /** The platform wants the word of the number's passkey first. `answer` rejects with PlatformError where it is refused. */
  | {
      kind: 'passkey'
      options: PasskeyOptions
      expiresAtMs: number
      /** With `compareCodes` a person compares codes, also where it could be proven that the phone has scanned ours. */
      answer(assertion: PasskeyAssertion, compareCodes: boolean): Promise<void>
    }
  /** The phone shows this code too: a person has to say that it does. */
  | { kind: 'confirm'; code: string; expiresAtMs: number; confirm(): Promise<void> }
  /** No code can be had for now, and why; it is tried again, at a time where one is known. */
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
  /** How often messages that never came to an end were begun, by inbox key. */
  readTries(): Promise<Map<string, number>>
  /** Stores how often these messages were begun, until `DeviceChange.finished` names the key; 0 forgets one. */
  recordTries(tries: ReadonlyMap<string, number>): Promise<void>
  /** What was sent under this platform id, for a recipient's device that asks for it again. */
  readSent(platformId: string): Promise<Uint8Array | undefined>
  /**
   * What is known of a message of this session, received (`Interpretation.remember`) or sent, by its platform id.
   * Others choose ids: who has to be sure which one is meant names the chat too, by each of its names.
   */
  readSeen(messageId: string, chats?: string[]): Promise<SeenMessage | undefined>
  /** It does not answer for now: whoever asks waits until it does. */
  isAway?(): boolean
}

/** All of it is written, or nothing. An inbox item whose key is stored already is passed over. */
export interface DeviceChange {
  creds?: Uint8Array
  keys?: KeyChange[]
  inbox?: InboxItem[]
  sent?: SentCopy[]
  /** Inbox keys of messages that came to an end: their tries are forgotten. */
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

/** Something received, durable before the platform is told so. */
export interface InboxItem {
  /** Unique for the session: the same stanza that comes twice has the same key. */
  key: string
  /**
   * What kind of stanza it is: `message`, `receipt`, `call`, `notification`, `presence`, `chatstate`; or `file_message`,
   * a message with a file that has to be fetched, which may take its time.
   */
  kind: string
  receivedAtMs: number
  /**
   * Items of one chat are interpreted in order of arrival, those of different chats side by side, so that slow media
   * holds up its own chat alone. Absent: in order with all others that name no chat.
   */
  chat?: string
  /** Opaque to everyone but the platform. */
  body: Uint8Array
  /** It cannot be interpreted, whatever is tried: it is kept sealed for somebody to look into, and passed over. */
  poison?: true
}

/** What an inbox item means. A receipt is raw: the worker knows which messages are ours. */
export type Interpretation =
  | {
      kind: 'events'
      events: Array<Exclude<Event, { kind: 'receipt' | 'status' | 'connection' }>>
      remember?: SeenMessage[]
    }
  | { kind: 'receipts'; receipts: PlatformReceipt[] }
  /** Nothing to tell the customer; the reason is counted in `/metrics`. */
  | { kind: 'none'; reason: string }

/** What replies, reactions and votes need to know of an incoming message later; kept 30 days, polls 90. */
export interface SeenMessage {
  messageId: string
  chatJid: string
  senderJid: string
  fromMe: boolean
  /** What votes, edits, reactions and comments that are about it are encrypted under. */
  secret?: Uint8Array
  isPoll?: true
}

export interface PlatformReceipt {
  platformIds: string[]
  chatJid: string
  recipientJid: string
  type: 'delivered' | 'read' | 'played'
  atMs: number
}

export interface SessionCallbacks {
  /** The link changed. */
  onLink(link: LinkChange): void
  /** A stanza ended without an inbox item; the reason is counted. */
  onDropped(reason: string): void
  /** The number may not write to strangers until then (error 463). */
  onRestricted(untilMs: number): void
  /** Which kind of name a direct message is to go by. */
  addressing(): Addressing
  /** What became of a direct message, by the kind of name that it went by. */
  onAddressed(form: 'lid' | 'pn', outcome: AddressedOutcome): void
  /** Waits for the turn of this number to log in. What it answers is called when the login is over. */
  turnToLogIn?(signal: AbortSignal): Promise<LoginEnd>
  /** Calls are rejected by themselves while this answers settings. */
  autoReject(): { message: string | null } | null
}

/** The platform let it in, or has said why not; or it has not answered. */
export type LoginEnd = (end: 'answered' | 'unanswered') => void

export type AddressedOutcome = 'sent' | 'refused_400' | 'refused_463' | 'refused_475' | 'refused_other' | 'unanswered'

/** Why a link is down: the network's trouble, a platform that is busy, another process, a pause, a person's to mend. */
export type ClosedKind = 'lost' | 'busy' | 'replaced' | 'paused' | 'refused'

export type LinkChange =
  | { state: 'open' }
  /** `untilMs`: the platform lets nobody in before, and it is not tried. `isOutdated`: it wants a newer web client. */
  | { state: 'closed'; kind: ClosedKind; reason: string; untilMs?: number; isOutdated?: true }
  /** The platform unlinked the device, or will never take it again. */
  | { state: 'logged_out'; reason: string }

/** The platform links no device in this way; the message says to people why, and what they can do. */
export class PairingRefused extends Error {
  override name = 'PairingRefused'
}

/** What is stored of a device cannot be read now. That something was not found means nothing then. */
export class StorageAway extends Error {
  override name = 'StorageAway'
}

/** A command that was not done; where that is `transient` it may be tried again, with the same platform id. */
export class PlatformError extends Error {
  override name = 'PlatformError'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.detail)
    this.failure = failure
  }
}

/** What a person brought for a pairing, or asked of it, came to nothing: `detail` tells them why. */
export const pairingFailure = (detail: string): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'SEND_FAILED', detail })
