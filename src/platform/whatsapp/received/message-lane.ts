import type { BinaryNode, WAMessage } from 'baileys'
import type { BoundedCache } from '../bounded-cache.ts'
import { messageKeyOfStanza, poisonItem } from './inbox-item.ts'
import type { Journal } from '../device/journal.ts'
import { MessageInHand } from './message-in-hand.ts'
import type { MessageTries } from './message-tries.ts'
import { ownTurn } from '../engine/own-turn.ts'
import { EMPTY_FOR_LIBRARY, NO_CONTENT, type ReceivedContent } from './received-content.ts'

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

// As many messages as one look into the storage answers for.
const BATCH = 100

export function createMessageLane(options: MessageLaneOptions): MessageLane {
  const hands = createHands(options)
  let queue: BinaryNode[] = []
  let running: Promise<void> | undefined
  let stopped = false

  const run = async (): Promise<void> => {
    while (queue.length > 0 && !stopped) {
      const batch = queue.slice(0, BATCH)
      queue = queue.slice(BATCH)
      await handleBatch(options, hands, batch, () => stopped)
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
    emitted: message => hands.current()?.emitted(message),
    decrypted: plaintext => hands.current()?.decrypted(plaintext) ?? EMPTY_FOR_LIBRARY,
    undecryptable: () => hands.current()?.undecryptable(),
    async idle() {
      while (running) await running
    },
    stop() {
      stopped = true
      queue = []
    },
  }
}

async function handleBatch(
  { recent, tries, known: readKnown, acknowledge, onDropped }: MessageLaneOptions,
  hands: Hands,
  batch: readonly BinaryNode[],
  isStopped: () => boolean,
): Promise<void> {
  const keys = batch.map(messageKeyOfStanza)
  const known = await readKnown(keys.filter(key => !recent.get(key)))
  const isKnown = (key: string): boolean => known.has(key) || recent.get(key) === true
  // What comes again may have ended an earlier process: each try is counted before it is made.
  const isAgain = (key: string, i: number): boolean =>
    batch[i]!.attrs.offline !== undefined && !isKnown(key) && !tries.has(key)
  const counted = new Set(keys.filter(isAgain))
  await tries.count([...counted])
  for (const [index, stanza] of batch.entries()) {
    await ownTurn()
    const key = keys[index]!
    if (isStopped()) return await tries.count([...counted], -1)
    if (isKnown(key)) {
      await acknowledge(stanza)
      onDropped('redelivered')
    } else await hands.take(stanza, key, counted.has(key))
    counted.delete(key)
  }
}

/** Where the library has one message at a time. */
interface Hands {
  /** Gives a message to the library, or gives it up where that was tried often enough. */
  take(stanza: BinaryNode, key: string, isCounted: boolean): Promise<void>
  current(): MessageInHand | undefined
}

function createHands(options: MessageLaneOptions): Hands {
  const { journal, recent, tries, acknowledge } = options
  let current: MessageInHand | undefined

  /** It is not given to the library again: what is known of it is kept, and the server is told that it is here. */
  const giveUp = async (stanza: BinaryNode, key: string): Promise<void> => {
    recent.set(key, true)
    journal.append({ inbox: [poisonItem(stanza, NO_CONTENT.bytes, key)], ...tries.finish(key) })
    await acknowledge(stanza)
  }
  const handle = async (message: MessageInHand, isCounted: boolean): Promise<void> => {
    const { stanza } = message
    current = message
    await inTime(options, message, isCounted)
    if (current === message) current = undefined
    if (message.isUnread) await options.askAgain(stanza)
    if (message.isClosed) return
    if (!message.content) return message.drop('not_emitted')
    message.keep(message.head)
    await acknowledge(stanza)
  }
  return {
    current: () => current,
    async take(stanza, key, isCounted) {
      if (tries.isSpent(key)) return giveUp(stanza, key)
      // One that was begun before and did not end may have ended a link or a process: it alone is counted each time.
      const isSuspect = tries.has(key) && !isCounted
      if (isSuspect) await tries.count([key])
      const [head, content] = [options.headOf(stanza), options.openContentOf(stanza)]
      const message = new MessageInHand({ stanza, key, head, content }, journal.reserve(), options)
      await handle(message, isSuspect || isCounted)
    },
  }
}

/** Resolves when the library has done with the message; where that takes too long, the link ends meanwhile. */
async function inTime(options: MessageLaneOptions, message: MessageInHand, isCounted: boolean): Promise<void> {
  const timer = setTimeout(() => {
    if (!message.isClosed)
      void stuck(options, message, isCounted)
        .catch(() => {})
        .finally(options.onStuck)
  }, options.timeoutMs)
  await options.handle(message.stanza).catch(() => {})
  clearTimeout(timer)
}

/** Its content is kept where it is known, however the library got stuck; else the try is counted. */
async function stuck({ tries }: MessageLaneOptions, message: MessageInHand, isCounted: boolean): Promise<void> {
  if (message.content) return message.keep(message.head)
  if (isCounted) return
  await tries.count([message.key])
  // It came to its end meanwhile, before there was a count to forget.
  if (message.isClosed) await tries.count([message.key], -1)
}
