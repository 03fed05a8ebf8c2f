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
  /** Known already where it is not encrypted. */
  content: ReceivedContent | undefined
}

interface Around {
  clock: Pick<Clock, 'now'>
  recent: Pick<ExpiringMap<true>, 'set'>
  tries: Pick<MessageTries, 'finish'>
  awaited: Pick<AwaitedMessages, 'add'>
  onDropped(reason: string): void
}

/** A message that the library has begun with. Its place among the changes is filled once, however it ends. */
export class MessageInHand {
  readonly stanza: BinaryNode
  readonly key: string
  readonly head: WAMessage | undefined
  readonly #place: OpenPlace
  readonly #around: Around
  #content: ReceivedContent | undefined
  #isClosed = false
  #isUnread = false

  constructor({ stanza, key, head, content }: Begun, place: OpenPlace, around: Around) {
    this.stanza = stanza
    this.key = key
    this.head = head
    this.#content = content
    this.#place = place
    this.#around = around
  }

  /** What is decrypted of it so far. */
  get content(): ReceivedContent | undefined {
    return this.#content
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The library knows nothing of it, but it could not be decrypted. */
  get isUnread(): boolean {
    return this.#isUnread
  }

  keep(message: WAMessage | undefined): void {
    if (this.#isClosed) return
    const item = this.#itemOf(message)
    this.#around.recent.set(this.key, true)
    this.#fill({ inbox: [item] })
  }

  drop(reason: string): void {
    if (this.#isClosed) return
    this.#fill({})
    this.#around.onDropped(reason)
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
      // Its keys have moved, so it cannot be had again: it is kept as poison, and the library need not know.
      this.#content = { ...content, isBroken: true }
      return EMPTY_FOR_LIBRARY
    }
  }

  undecryptable(): Uint8Array | undefined {
    this.#await()
    // A status that is refused stays the first of what waits for ever, and nothing behind it comes.
    this.#isUnread = this.stanza.attrs.from === STATUS_BROADCAST
    return this.#isUnread ? EMPTY_FOR_LIBRARY : undefined
  }

  /** Its content may come yet, from who sent it or from the own phone. */
  #await(): void {
    if (this.head) this.#around.awaited.add({ key: this.key, head: this.head })
    this.drop('undecryptable')
  }

  #fill(change: GatheredChange): void {
    this.#isClosed = true
    this.#place.fill({ ...change, ...this.#around.tries.finish(this.key) })
  }

  #itemOf(message: WAMessage | undefined): InboxItem {
    const receivedAtMs = this.#around.clock.now().getTime()
    try {
      if (message && !this.#content?.isBroken)
        return messageItem(message, this.#content, this.key, receivedAtMs, this.stanza.attrs.edit)
    } catch {
      // Kept below as it is.
    }
    return poisonItem(this.stanza, this.#content?.bytes ?? NO_CONTENT.bytes, this.key, receivedAtMs)
  }
}

/** Ids are unique in a chat only, and whoever writes or calls chooses them. */
const isSame = (one: WAMessage, other: WAMessage): boolean =>
  one.key.id === other.key.id && one.key.remoteJid === other.key.remoteJid
