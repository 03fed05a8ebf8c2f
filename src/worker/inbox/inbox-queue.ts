import type { InboxItem } from '../../platform/platform.ts'

/** An inbox item with its place in the order of arrival. */
export interface PlacedItem extends InboxItem {
  readonly seq: number
  failures: number
  /** How many hosts died while they had it in hand. */
  readonly deaths: number
  /** The death of this host is counted already, in case it dies of it. */
  isCounted?: boolean
}

interface Chat {
  readonly waiting: PlacedItem[]
  /** One of its items was taken and has not ended. */
  isTaken: boolean
}

const chatOf = (item: PlacedItem): string => item.chat ?? ''

/**
 * Received items that wait in memory, in order within each chat. What does not fit stays in the store and is read when
 * there is room again.
 */
export class InboxQueue {
  readonly #capacity: number
  readonly #chats = new Map<string, Chat>()
  readonly #keys = new Set<string>()
  #storeHasMore = false
  #hasLeftOutSinceRead = false

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Waiting and taken together. */
  get size(): number {
    return this.#keys.size
  }

  /** The store may have some that are not here. */
  get storeHasMore(): boolean {
    return this.#storeHasMore
  }

  /** Adds items; those that do not fit, or are here already, are left out. */
  add(items: PlacedItem[]): void {
    for (const item of items) {
      if (this.#keys.has(item.key)) continue
      if (this.#storeHasMore || this.size >= this.#capacity) this.leaveOut()
      else this.#addOne(item)
    }
  }

  /** The store may have some that are not here, nor among what a read under way brings. */
  leaveOut(): void {
    this.#storeHasMore = true
    this.#hasLeftOutSinceRead = true
  }

  /** The store is about to be read. */
  beginReading(): void {
    this.#hasLeftOutSinceRead = false
  }

  /** Adds what was read. */
  endReading(items: PlacedItem[], isCutShort: boolean): void {
    const mayMiss = isCutShort || this.#hasLeftOutSinceRead
    this.#storeHasMore = false
    this.add(items)
    if (mayMiss) this.#storeHasMore = true
  }

  /** The next item of a chat that none is taken from now, if it is welcome: those behind it wait with it. */
  take(isWelcome: (item: PlacedItem) => boolean): PlacedItem | undefined {
    for (const [name, chat] of this.#chats) {
      const [first] = chat.waiting
      if (chat.isTaken || first === undefined || !isWelcome(first)) continue
      chat.isTaken = true
      // To the end of the line: the chats go one after the other.
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
