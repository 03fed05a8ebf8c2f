import type { BinaryNode, WAMessage } from 'baileys'
import type { BoundedCache } from './bounded-cache.ts'
import { messageItem, messageKey, messageKeyOfStanza } from './inbox-item.ts'
import type { Journal, Slot } from './journal.ts'
import { ownTurn } from './own-turn.ts'

/**
 * Received messages, one after the other: each has a place in the journal from the moment the library begins with it
 * until its content is known, and nothing that the library sends meanwhile leaves before that place is durable.
 */
export interface MessageLane {
  push(stanza: BinaryNode): void
  /** The library has emitted a message. `requested` ones were asked for again from the phone. */
  emitted(message: WAMessage, requested: boolean): void
  /** The library has decrypted the message at hand: its keys are changed, so its content must not be lost. */
  decrypted(): void
  /** The library could not decrypt the message at hand: it has no content to wait for. */
  undecryptable(): void
  /** Resolves when no message is being handled. */
  idle(): Promise<void>
  stop(): void
}

export interface MessageLaneOptions {
  journal: Pick<Journal, 'append' | 'reserve'>
  /** Keys of messages stored by this process, durable or about to be. */
  recent: BoundedCache<true>
  known(keys: string[]): Promise<Set<string>>
  /** Gives the stanza to the library; resolves when it has done with it. */
  handle(stanza: BinaryNode): Promise<void>
  /** Tells the server that a message is received, for one that the library never sees again. */
  acknowledge(stanza: BinaryNode): Promise<void>
  onDropped(reason: string): void
  /** A message did not come to its end in time: its frames may never leave, so the link has to end. */
  onStuck(): void
  /** A message was decrypted and then given up: what it changed must not be kept without it. */
  onUnfinished(): void
  onError(error: unknown): void
  timeoutMs: number
}

interface Open {
  stanza: BinaryNode
  key: string
  slot: Slot
  decrypted: boolean
  closed: boolean
}

// As many messages as one look into the storage answers for.
const BATCH = 100

export function createMessageLane(options: MessageLaneOptions): MessageLane {
  const { journal, recent } = options
  let queue: BinaryNode[] = []
  let running: Promise<void> | undefined
  let stopped = false
  let current: Open | undefined

  const close = (open: Open, message: WAMessage | undefined, reason: string): void => {
    if (open.closed) return
    open.closed = true
    if (!message) {
      open.slot.fill({})
      return options.onDropped(reason)
    }
    recent.set(open.key, true)
    open.slot.fill({ inbox: [messageItem(message, open.key, Date.now())] })
  }
  const handle = async (stanza: BinaryNode, key: string): Promise<void> => {
    const open: Open = { stanza, key, slot: journal.reserve(), decrypted: false, closed: false }
    current = open
    const timer = setTimeout(() => {
      if (!open.closed) options.onStuck()
    }, options.timeoutMs)
    try {
      await options.handle(stanza)
      if (open.decrypted && !open.closed) options.onUnfinished()
      else close(open, undefined, 'not_emitted')
    } finally {
      clearTimeout(timer)
      if (current === open) current = undefined
    }
  }
  const handleBatch = async (batch: readonly BinaryNode[]): Promise<void> => {
    const keys = batch.map(messageKeyOfStanza)
    const known = await options.known(keys.filter(key => !recent.get(key)))
    for (const [index, stanza] of batch.entries()) {
      await ownTurn()
      if (stopped) return
      const key = keys[index]!
      if (known.has(key) || recent.get(key)) {
        await options.acknowledge(stanza)
        options.onDropped('redelivered')
      } else await handle(stanza, key)
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
    emitted(message, requested) {
      if (requested) {
        const key = messageKey(message.key.remoteJid ?? '', message.key.participant, message.key.id ?? '')
        if (recent.get(key)) return
        recent.set(key, true)
        journal.append({ inbox: [messageItem(message, key, Date.now())] })
      } else if (current && message.key.id === current.stanza.attrs.id) {
        const isStub = message.messageStubType !== undefined && message.messageStubType !== null
        close(current, isStub ? undefined : message, 'undecryptable')
      }
    },
    decrypted: () => {
      if (current) current.decrypted = true
    },
    undecryptable: () => {
      if (current) close(current, undefined, 'undecryptable')
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
