import type { StoredItem } from './device-storage.ts'

/**
 * Received items that wait in memory, in order within each chat. What does not fit stays in the store and is read when
 * there is room again.
 */
export interface InboxQueue {
  /** Adds items; those that do not fit, or are here already, are left out. */
  add(items: StoredItem[]): void
  /** The next item of a chat that none is taken from now, if it is welcome: those behind it wait with it. */
  take(isWelcome: (item: StoredItem) => boolean): StoredItem | undefined
  /** Ends an item that was taken. */
  done(item: StoredItem): void
  /** Puts an item that was taken back to the head of its chat. */
  putBack(item: StoredItem): void
  /** Waiting and taken together. */
  readonly size: number
  /** Some were left out: the store has more. */
  readonly leftOut: boolean
  /** The store may have some that are not here. */
  leaveOut(): void
  /** The store is about to be read; what is left out from now on may not be among what comes. */
  beginRefill(): void
  /** Adds what was read. */
  refill(items: StoredItem[], storeHasMore: boolean): void
}

export function createInboxQueue(capacity: number): InboxQueue {
  const chats = new Map<string, { waiting: StoredItem[]; taken: boolean }>()
  const keys = new Set<string>()
  const chatOf = (item: StoredItem): string => item.chat ?? ''
  let leftOut = false
  let leftOutSinceRead = false

  function leaveOut(): void {
    leftOut = true
    leftOutSinceRead = true
  }

  function addOne(item: StoredItem): void {
    const chat = chats.get(chatOf(item)) ?? { waiting: [], taken: false }
    chats.set(chatOf(item), chat)
    keys.add(item.key)
    let at = chat.waiting.length
    while (at > 0 && chat.waiting[at - 1]!.seq > item.seq) at--
    chat.waiting.splice(at, 0, item)
  }

  function add(items: StoredItem[]): void {
    for (const item of items) {
      if (keys.has(item.key)) continue
      if (leftOut || keys.size >= capacity) leaveOut()
      else addOne(item)
    }
  }

  return {
    get leftOut() {
      return leftOut
    },
    get size() {
      return keys.size
    },
    add,
    leaveOut,
    beginRefill() {
      leftOutSinceRead = false
    },
    refill(items, storeHasMore) {
      const mayMiss = storeHasMore || leftOutSinceRead
      leftOut = false
      add(items)
      if (mayMiss) leftOut = true
    },
    take(isWelcome) {
      for (const [name, chat] of chats) {
        const [first] = chat.waiting
        if (chat.taken || first === undefined || !isWelcome(first)) continue
        chat.taken = true
        // To the end of the line: the chats take turns.
        chats.delete(name)
        chats.set(name, chat)
        return chat.waiting.shift()
      }
      return undefined
    },
    done(item) {
      const chat = chats.get(chatOf(item))!
      keys.delete(item.key)
      chat.taken = false
      if (chat.waiting.length === 0) chats.delete(chatOf(item))
    },
    putBack(item) {
      const chat = chats.get(chatOf(item))!
      chat.taken = false
      chat.waiting.unshift(item)
    },
  }
}
