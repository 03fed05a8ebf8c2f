import type { BinaryNode, WAMessage } from 'baileys'
import { STATUS_BROADCAST } from '../../../domain/jid.ts'
import type { InboxItem } from '../../platform.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { GatheredChange, OpenPlace } from '../device/device-changes.ts'
import type { AwaitedMessages } from './awaited-messages.ts'
import { messageItem, poisonItem } from './inbox-item.ts'
import type { MessageTries } from './message-tries.ts'
import { EMPTY_FOR_LIBRARY, forLibrary, NO_CONTENT, type ReceivedContent, withPart } from './received-content.ts'

interface Begun {
  stanza: BinaryNode
  key: string
  /** The message as the library would emit it, without content. */
  head: WAMessage | undefined
  /** Set if the message is not encrypted. */
  content: ReceivedContent | undefined
  /** The same message is stored already, under another name of its sender. */
  isStored: boolean
}

interface MessageDeps {
  clock: Pick<Clock, 'now'>
  recent: Pick<ExpiringMap<true>, 'set'>
  tries: Pick<MessageTries, 'finish'>
  awaited: Pick<AwaitedMessages, 'add'>
  onDropped(reason: string): void
}

/** A message that the library is handling. Its place among the changes is filled exactly once, however it ends. */
export class MessageInProgress {
  readonly stanza: BinaryNode
  readonly key: string
  readonly head: WAMessage | undefined
  readonly #isStored: boolean
  readonly #place: OpenPlace
  readonly #deps: MessageDeps
  #content: ReceivedContent | undefined
  #isClosed = false
  #isUnread = false

  constructor({ stanza, key, head, content, isStored }: Begun, place: OpenPlace, deps: MessageDeps) {
    this.stanza = stanza
    this.key = key
    this.head = head
    this.#content = content
    this.#isStored = isStored
    this.#place = place
    this.#deps = deps
  }

  /** The parts that are decrypted so far. */
  get content(): ReceivedContent | undefined {
    return this.#content
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** It could not be decrypted, and the library was given empty content instead of the failure. */
  get isUnread(): boolean {
    return this.#isUnread
  }

  keep(message: WAMessage | undefined): void {
    if (this.#isClosed) return
    if (this.#isStored) return this.drop('redelivered')
    const item = this.#itemOf(message)
    this.#deps.recent.set(this.key, true)
    this.#fill({ inbox: [item] })
  }

  drop(reason: string): void {
    if (this.#isClosed) return
    this.#fill({})
    this.#deps.onDropped(reason)
  }

  emitted(message: WAMessage): void {
    if (!this.head || !isSame(message, this.head)) return
    const isStub = message.messageStubType !== undefined && message.messageStubType !== null
    if (isStub) this.#await()
    else this.keep(message)
  }

  decrypted(plaintext: Uint8Array): Uint8Array {
    const content = withPart(this.#content ?? NO_CONTENT, plaintext)
    this.#content = content
    try {
      return forLibrary(content, this.stanza, this.head?.key.fromMe === true)
    } catch {
      // The ratchet has moved on, so it cannot be decrypted again: it is kept as poison, and the library gets no error.
      this.#content = { ...content, isBroken: true }
      return EMPTY_FOR_LIBRARY
    }
  }

  undecryptable(): Uint8Array | undefined {
    this.#await()
    // The platform keeps a rejected status post at the head of the offline queue forever and sends nothing behind it.
    this.#isUnread = this.stanza.attrs.from === STATUS_BROADCAST
    return this.#isUnread ? EMPTY_FOR_LIBRARY : undefined
  }

  /** The sender or the phone of the number may still resend the content. */
  #await(): void {
    if (this.head && !this.#isStored) this.#deps.awaited.add({ key: this.key, head: this.head })
    this.drop('undecryptable')
  }

  #fill(change: GatheredChange): void {
    this.#isClosed = true
    this.#place.fill({ ...change, ...this.#deps.tries.finish(this.key) })
  }

  #itemOf(message: WAMessage | undefined): InboxItem {
    const receivedAtMs = this.#deps.clock.now().getTime()
    try {
      if (message && !this.#content?.isBroken)
        return messageItem(message, this.#content, this.key, receivedAtMs, this.stanza.attrs.edit)
    } catch {
      // Stored as poison below.
    }
    return poisonItem(this.stanza, this.#content?.bytes ?? NO_CONTENT.bytes, this.key, receivedAtMs)
  }
}

/** Ids are unique in a chat only, and the sender or the caller chooses them. */
const isSame = (one: WAMessage, other: WAMessage): boolean =>
  one.key.id === other.key.id && one.key.remoteJid === other.key.remoteJid
