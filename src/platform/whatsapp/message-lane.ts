import type { BinaryNode, WAMessage } from 'baileys'
import { STATUS_BROADCAST } from '../../domain/jid.ts'
import type { InboxItem } from '../platform.ts'
import type { BoundedCache } from './bounded-cache.ts'
import { messageItem, messageKeyOfStanza, poisonItem } from './inbox-item.ts'
import type { Entry, Journal, Slot } from './journal.ts'
import type { MessageTries } from './message-tries.ts'
import { ownTurn } from './own-turn.ts'
import { EMPTY_FOR_LIBRARY, forLibrary, NO_CONTENT, type ReceivedContent, withPart } from './received-content.ts'

/**
 * Received messages, one after the other: each has a place in the journal from the moment the library begins with it
 * until its content is known, and nothing that the library sends meanwhile leaves before that place is durable.
 */
export interface MessageLane {
  push(stanza: BinaryNode): void
  /** The library has emitted a message. */
  emitted(message: WAMessage): void
  /**
   * A part of the message at hand is decrypted: its keys are changed, so its content must not be lost. Answers what
   * the library may see of it.
   */
  decrypted(plaintext: Uint8Array): Uint8Array
  /**
   * The library could not decrypt the message at hand: it has no content to wait for. Answers what the library gets
   * instead, where it must not refuse the message.
   */
  undecryptable(): Uint8Array | undefined
  /** Resolves when no message is being handled. */
  idle(): Promise<void>
  stop(): void
}

export interface MessageLaneOptions {
  journal: Pick<Journal, 'append' | 'reserve'>
  /** Keys of messages stored by this process, durable or about to be. */
  recent: BoundedCache<true>
  tries: MessageTries
  known(keys: string[]): Promise<Set<string>>
  /** Gives the stanza to the library; resolves when it has done with it. */
  handle(stanza: BinaryNode): Promise<void>
  /** The message as the library would emit it, without content; `undefined` where the stanza is no message. */
  headOf(stanza: BinaryNode): WAMessage | undefined
  /** The content of a message that is not encrypted, where that may be. */
  openContentOf(stanza: BinaryNode): ReceivedContent | undefined
  /** Tells the server that a message is received, for one that the library never sees again. */
  acknowledge(stanza: BinaryNode): Promise<void>
  /** Asks the sender's device for a message that could not be decrypted. */
  askAgain(stanza: BinaryNode): Promise<void>
  onDropped(reason: string): void
  /** A message did not come to its end in time: its frames may never leave, so the link has to end. */
  onStuck(): void
  onError(error: unknown): void
  timeoutMs: number
}

interface Open {
  stanza: BinaryNode
  head: WAMessage | undefined
  key: string
  slot: Slot
  content: ReceivedContent | undefined
  closed: boolean
  /** This try is counted already. */
  counted: boolean
  /** The library knows nothing of it, but it could not be decrypted. */
  unread: boolean
}

// As many messages as one look into the storage answers for.
const BATCH = 100

export function createMessageLane(options: MessageLaneOptions): MessageLane {
  const { journal, recent, tries } = options
  let queue: BinaryNode[] = []
  let running: Promise<void> | undefined
  let stopped = false
  let current: Open | undefined

  const fill = (open: Open, entry: Entry): void => {
    open.closed = true
    open.slot.fill({ ...entry, ...tries.finish(open.key) })
  }
  const drop = (open: Open, reason: string): void => {
    if (open.closed) return
    fill(open, {})
    options.onDropped(reason)
  }
  const keep = (open: Open, message: WAMessage | undefined): void => {
    if (open.closed) return
    const item = itemOf(open, message)
    recent.set(open.key, true)
    fill(open, { inbox: [item] })
  }
  /** It is not given to the library again: what is known of it is kept, and the server is told that it is here. */
  const giveUp = async (stanza: BinaryNode, key: string): Promise<void> => {
    recent.set(key, true)
    journal.append({ inbox: [poisonItem(stanza, NO_CONTENT.bytes, key)], ...tries.finish(key) })
    await options.acknowledge(stanza)
  }
  /** Its content is kept where it is known, however the library got stuck; else the try is counted. */
  const stuck = async (open: Open): Promise<void> => {
    if (open.closed) return
    if (open.content) keep(open, open.head)
    else if (!open.counted) await tries.count([open.key])
  }
  const handle = async (stanza: BinaryNode, key: string, counted: boolean): Promise<void> => {
    const [head, content] = [options.headOf(stanza), options.openContentOf(stanza)]
    const open: Open = { stanza, head, key, slot: journal.reserve(), content, closed: false, counted, unread: false }
    current = open
    const timer = setTimeout(() => {
      if (!open.closed)
        void stuck(open)
          .catch(() => {})
          .finally(options.onStuck)
    }, options.timeoutMs)
    await options.handle(stanza).catch(() => {})
    clearTimeout(timer)
    if (current === open) current = undefined
    if (open.unread) await options.askAgain(stanza)
    if (open.closed) return
    if (!open.content) return drop(open, 'not_emitted')
    keep(open, head)
    await options.acknowledge(stanza)
  }
  /** One that was begun before and did not end may have ended a link or a process: it alone is counted each time. */
  const handleNew = async (stanza: BinaryNode, key: string, isCounted: boolean): Promise<void> => {
    if (tries.isSpent(key)) return giveUp(stanza, key)
    const isSuspect = tries.has(key) && !isCounted
    if (isSuspect) await tries.count([key])
    await handle(stanza, key, isSuspect || isCounted)
  }
  const handleBatch = async (batch: readonly BinaryNode[]): Promise<void> => {
    const keys = batch.map(messageKeyOfStanza)
    const known = await options.known(keys.filter(key => !recent.get(key)))
    const isKnown = (key: string): boolean => known.has(key) || recent.get(key) === true
    // What comes again may have ended an earlier process: each try is counted before it is made.
    const isAgain = (key: string, i: number): boolean =>
      batch[i]!.attrs.offline !== undefined && !isKnown(key) && !tries.has(key)
    const counted = new Set(keys.filter(isAgain))
    await tries.count([...counted])
    for (const [index, stanza] of batch.entries()) {
      await ownTurn()
      const key = keys[index]!
      if (stopped) return await tries.count([...counted], -1)
      if (isKnown(key)) {
        await options.acknowledge(stanza)
        options.onDropped('redelivered')
      } else await handleNew(stanza, key, counted.has(key))
      counted.delete(key)
    }
  }
  const run = async (): Promise<void> => {
    while (queue.length > 0 && !stopped) {
      const batch = queue.slice(0, BATCH)
      queue = queue.slice(BATCH)
      await handleBatch(batch)
    }
  }

  return {
    push(stanza) {
      queue.push(stanza)
      running ??= run()
        .catch(options.onError)
        .finally(() => {
          running = undefined
        })
    },
    emitted(message) {
      if (!current?.head || !isSame(message, current.head)) return
      const isStub = message.messageStubType !== undefined && message.messageStubType !== null
      if (isStub) drop(current, 'undecryptable')
      else keep(current, message)
    },
    decrypted(plaintext) {
      if (!current) return EMPTY_FOR_LIBRARY
      current.content = withPart(current.content ?? NO_CONTENT, plaintext)
      return forLibrary(current.content, current.stanza, current.head?.key.fromMe === true)
    },
    undecryptable() {
      if (!current) return undefined
      drop(current, 'undecryptable')
      // A status that is refused stays the first of what waits for ever, and nothing behind it comes.
      current.unread = current.stanza.attrs.from === STATUS_BROADCAST
      return current.unread ? EMPTY_FOR_LIBRARY : undefined
    },
    async idle() {
      while (running) await running
    },
    stop() {
      stopped = true
      queue = []
    },
  }
}

/** Ids are unique in a chat only, and whoever writes or calls chooses them. */
const isSame = (one: WAMessage, other: WAMessage): boolean =>
  one.key.id === other.key.id && one.key.remoteJid === other.key.remoteJid

function itemOf({ stanza, content, key }: Open, message: WAMessage | undefined): InboxItem {
  try {
    if (message && !content?.isBroken) return messageItem(message, content, key, stanza.attrs.edit)
  } catch {
    // Kept below as it is.
  }
  return poisonItem(stanza, content?.bytes ?? NO_CONTENT.bytes, key)
}
