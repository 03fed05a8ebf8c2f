import type { InboxItem } from '../../platform/platform.ts'

/** An inbox item with its place in the order of arrival. */
export interface PlacedItem extends InboxItem {
  readonly seq: number
  failures: number
  /** The lease owners that died while they processed it. */
  readonly diedWithIt: readonly string[]
  /** This host is recorded as one that has begun it, in case it dies too. */
  isRecorded?: boolean
}

interface Chat {
  readonly waiting: PlacedItem[]
  /** One of its items is being processed. */
  isTaken: boolean
}

const chatOf = (item: PlacedItem): string => item.chat ?? ''

/**
 * Received items that wait in memory, in order within each chat. Items beyond the capacity stay in the store and are read
 * when there is room again.
 */
export class InboxQueue {
  readonly #capacity: number
  readonly #chats = new Map<string, Chat>()
  readonly #keys = new Set<string>()
  #storeHasMore = false
  #hasLeftOutSinceRead = false
  /** Keys of items that ended since the last read of the store began: that read may still return them. */
  #endedSinceRead = new Set<string>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Waiting and taken together. */
  get size(): number {
    return this.#keys.size
  }

  /** The store may have items that are not in memory. */
  get storeHasMore(): boolean {
    return this.#storeHasMore
  }

  /** Whether an item of this chat waits or is taken. */
  hasChat(name: string): boolean {
    return this.#chats.has(name)
  }

  /** Adds items, except those that do not fit or are in memory already. */
  add(items: PlacedItem[]): void {
    for (const item of items) {
      if (this.#keys.has(item.key)) continue
      if (this.#storeHasMore || this.size >= this.#capacity) this.leaveOut()
      else this.#addOne(item)
    }
  }

  /** The store may have items that are neither in memory nor in the result of a read under way. */
  leaveOut(): void {
    this.#storeHasMore = true
    this.#hasLeftOutSinceRead = true
  }

  /** The store is about to be read. */
  beginReading(): void {
    this.#hasLeftOutSinceRead = false
    this.#endedSinceRead = new Set()
  }

  /** Adds the items that were read, except those that ended meanwhile. */
  endReading(items: PlacedItem[], isCutShort: boolean): void {
    const mayMiss = isCutShort || this.#hasLeftOutSinceRead
    this.#storeHasMore = false
    this.add(items.filter(({ key }) => !this.#endedSinceRead.has(key)))
    if (mayMiss) this.#storeHasMore = true
  }

  /** The next item of a chat that has none under way, if `accepts` returns true for it: the items behind it wait with it. */
  take(accepts: (item: PlacedItem) => boolean): PlacedItem | undefined {
    for (const [name, chat] of this.#chats) {
      const [first] = chat.waiting
      if (chat.isTaken || first === undefined || !accepts(first)) continue
      chat.isTaken = true
      // The chat moves to the end, so that chats take turns.
      this.#chats.delete(name)
      this.#chats.set(name, chat)
      return chat.waiting.shift()
    }
    return undefined
  }

  /** Ends an item that was taken. */
  done(item: PlacedItem): void {
    const chat = this.#chats.get(chatOf(item))!
    this.#keys.delete(item.key)
    this.#endedSinceRead.add(item.key)
    chat.isTaken = false
    if (chat.waiting.length === 0) this.#chats.delete(chatOf(item))
  }

  /** Puts an item that was taken back to the head of its chat. */
  putBack(item: PlacedItem): void {
    const chat = this.#chats.get(chatOf(item))!
    chat.isTaken = false
    chat.waiting.unshift(item)
  }

  #addOne(item: PlacedItem): void {
    const name = chatOf(item)
    let chat = this.#chats.get(name)
    if (chat === undefined) this.#chats.set(name, (chat = { waiting: [], isTaken: false }))
    this.#keys.add(item.key)
    let at = chat.waiting.length
    while (at > 0 && chat.waiting[at - 1]!.seq > item.seq) at--
    chat.waiting.splice(at, 0, item)
  }
}
