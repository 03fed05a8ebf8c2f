import { WakeSignal } from '../../runtime/wake-signal.ts'
import { aboutInbox } from '../../domain/sealed.ts'
import type { InboxItem } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingItem } from '../../store/inbox/inbox.ts'
import { MAX_FAILURES } from './item-attempts.ts'
import type { HeldLease } from '../held-lease.ts'
import { InboxQueue, type PlacedItem } from './inbox-queue.ts'
import type { HostDeps } from '../deps.ts'

const IN_MEMORY = 512
const READ_RETRY_MS = 1_000

type InboxDeps = Pick<HostDeps, 'seal' | 'clock' | 'log'> & { store: Pick<Store, 'inbox'> }

/** Items that a number received and that are not published yet, in order of arrival: all in the store, some in memory. */
export class Inbox {
  /** Notified when there may be an item to take. */
  readonly changed = new WakeSignal()
  readonly #deps: InboxDeps
  readonly #heldLease: HeldLease
  readonly #queue = new InboxQueue(IN_MEMORY)
  #lastSeq = 0
  /** An item up to this place may have killed an earlier host. */
  #inheritedSeq = 0
  #isReading = false

  constructor(deps: InboxDeps, heldLease: HeldLease) {
    this.#deps = deps
    this.#heldLease = heldLease
  }

  /** Reads the last place in the order of arrival. Call it before the first item arrives. */
  async open(): Promise<void> {
    this.#lastSeq = await this.#deps.store.inbox.readLastSeq(this.#heldLease.sessionId)
    this.#inheritedSeq = this.#lastSeq
    this.#queue.leaveOut()
  }

  /** Gives items that are about to be committed their places in the order of arrival. */
  place(items: InboxItem[]): PlacedItem[] {
    return items.map(item => ({ ...item, seq: ++this.#lastSeq, failures: 0, diedWithIt: [] }))
  }

  /** These items are committed. */
  arrived(items: PlacedItem[]): void {
    if (items.length === 0) return
    this.#queue.add(items)
    this.changed.notify()
  }

  /** Items may have been committed: the outcome of the transaction is unknown. */
  mayHaveArrived(): void {
    this.#queue.leaveOut()
    this.changed.notify()
  }

  isInherited(item: PlacedItem): boolean {
    return item.seq <= this.#inheritedSeq
  }

  /** Whether an item of this chat may be unpublished. */
  mayHaveChat(chat: string): boolean {
    return this.#queue.hasChat(chat) || this.#queue.storeHasMore || this.#isReading
  }

  /** No item waits in memory or in the store, and none is under way. */
  get isEmpty(): boolean {
    return this.#queue.size === 0 && !this.#queue.storeHasMore && !this.#isReading
  }

  /** The next item of a chat that has none under way, if `accepts` returns true for it. */
  take(accepts: (item: PlacedItem) => boolean): PlacedItem | undefined {
    return this.#queue.take(accepts)
  }

  /** A taken item has ended. */
  done(item: PlacedItem): void {
    this.#queue.done(item)
  }

  /** A taken item becomes the next of its chat again. */
  putBack(item: PlacedItem): void {
    this.#queue.putBack(item)
  }

  /** Reads the items that did not fit into memory, once half of the capacity is free. */
  readMore(signal: AbortSignal): void {
    if (this.#isReading || !this.#queue.storeHasMore || this.#queue.size >= IN_MEMORY / 2) return
    this.#isReading = true
    void this.#read(signal).finally(() => {
      this.#isReading = false
      this.changed.notify()
    })
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { store, log, clock } = this.#deps
    const { sessionId } = this.#heldLease
    try {
      const limit = this.#queue.size + IN_MEMORY
      this.#queue.beginReading()
      const rows = await store.inbox.readInbox({ sessionId, limit })
      this.#queue.endReading(
        rows.map(row => this.#opened(row)),
        rows.length === limit,
      )
    } catch (error) {
      log.warn({ session: sessionId, err: error }, 'inbox.read_failed')
      await clock.sleep(READ_RETRY_MS, signal)
    }
  }

  #opened(row: WaitingItem): PlacedItem {
    const { key, seq, kind, chat, receivedAt: receivedAtMs } = row
    return { key, seq, kind, receivedAtMs, ...this.#body(row), ...(chat !== '' && { chat }) }
  }

  /** An item that cannot be decrypted must not block the others: it is abandoned at its first attempt. */
  #body(row: WaitingItem): Pick<PlacedItem, 'body' | 'failures' | 'diedWithIt'> {
    const { seal, log } = this.#deps
    const { sessionId } = this.#heldLease
    const { diedWithIt } = row
    try {
      return { body: seal.open(row.sealed, aboutInbox(sessionId, row.key)), failures: 0, diedWithIt }
    } catch (error) {
      log.error({ session: sessionId, inbox_key: row.key, err: error }, 'inbox.decrypt_failed')
      return { body: new Uint8Array(0), failures: MAX_FAILURES, diedWithIt }
    }
  }
}
