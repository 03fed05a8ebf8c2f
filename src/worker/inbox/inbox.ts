import { WakeSignal } from '../../runtime/wake-signal.ts'
import { aboutInbox } from '../../domain/sealed.ts'
import type { InboxItem } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingItem } from '../../store/inbox/inbox.ts'
import { type ItemPast, MAX_FAILURES } from './forward-tries.ts'
import type { HeldLease } from '../hold.ts'
import { InboxQueue, type PlacedItem } from './inbox-queue.ts'
import type { HostDeps } from '../deps.ts'

const IN_MEMORY = 512
const AFTER_FAILURE_MS = 1_000

type InboxDeps = Pick<HostDeps, 'seal' | 'clock' | 'log'> & { store: Pick<Store, 'inbox'> }

/** What a number has received and not told yet, in order of arrival: some of it in memory, all of it in the store. */
export class Inbox {
  /** Rung when there may be something to take. */
  readonly stirred = new WakeSignal()
  readonly #deps: InboxDeps
  readonly #hold: HeldLease
  readonly #queue = new InboxQueue(IN_MEMORY)
  #lastSeq = 0
  /** Up to here an earlier host may have died of it. */
  #inheritedSeq = 0
  #isReading = false

  constructor(deps: InboxDeps, hold: HeldLease) {
    this.#deps = deps
    this.#hold = hold
  }

  /** Reads where the order of arrival goes on; before anything arrives. */
  async open(): Promise<void> {
    this.#lastSeq = await this.#deps.store.inbox.readLastSeq(this.#hold.sessionId)
    this.#inheritedSeq = this.#lastSeq
    this.#queue.leaveOut()
  }

  /** Gives items that are about to be committed their places in the order of arrival. */
  place(items: InboxItem[]): PlacedItem[] {
    return items.map(item => ({ ...item, seq: ++this.#lastSeq, failures: 0, deaths: 0 }))
  }

  /** These are committed now. */
  arrived(items: PlacedItem[]): void {
    if (items.length === 0) return
    this.#queue.add(items)
    this.stirred.ring()
  }

  /** Nobody knows whether some were committed. */
  mayHaveArrived(): void {
    this.#queue.leaveOut()
    this.stirred.ring()
  }

  isInherited(item: PlacedItem): boolean {
    return item.seq <= this.#inheritedSeq
  }

  /** Nothing waits, in memory or in the store, and nothing that was taken is under way. */
  get isEmpty(): boolean {
    return this.#queue.size === 0 && !this.#queue.storeHasMore && !this.#isReading
  }

  /** The next item of a chat that none is taken from now, if it is welcome. */
  take(isWelcome: (item: PlacedItem) => boolean): PlacedItem | undefined {
    return this.#queue.take(isWelcome)
  }

  /** An item that was taken has ended. */
  done(item: PlacedItem): void {
    this.#queue.done(item)
  }

  /** An item that was taken is the next of its chat again. */
  putBack(item: PlacedItem): void {
    this.#queue.putBack(item)
  }

  /** Reads what there was no room for, once half of the room is free. */
  readMore(signal: AbortSignal): void {
    if (this.#isReading || !this.#queue.storeHasMore || this.#queue.size >= IN_MEMORY / 2) return
    this.#isReading = true
    void this.#read(signal).finally(() => {
      this.#isReading = false
      this.stirred.ring()
    })
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { store, log, clock } = this.#deps
    const { sessionId } = this.#hold
    try {
      const limit = this.#queue.size + IN_MEMORY
      this.#queue.beginReading()
      const rows = await store.inbox.readInbox({ sessionId, limit })
      this.#queue.endReading(
        rows.map(row => this.#opened(row)),
        rows.length === limit,
      )
    } catch (error) {
      log.warn({ session: sessionId, err: error }, 'inbox.unread')
      await clock.sleep(AFTER_FAILURE_MS, signal)
    }
  }

  #opened(row: WaitingItem): PlacedItem {
    const { key, seq, kind, chat, receivedAt: receivedAtMs } = row
    return { key, seq, kind, receivedAtMs, ...this.#body(row), ...(chat !== '' && { chat }) }
  }

  /** One that cannot be opened must not keep the others from being read: it is given up at once. */
  #body(row: WaitingItem): Pick<PlacedItem, 'body'> & ItemPast {
    const { seal, log } = this.#deps
    const { sessionId } = this.#hold
    try {
      return { body: seal.open(row.sealed, aboutInbox(sessionId, row.key)), failures: 0, deaths: row.deaths }
    } catch (error) {
      log.error({ session: sessionId, inbox_key: row.key, err: error }, 'inbox.unreadable')
      return { body: new Uint8Array(0), failures: MAX_FAILURES, deaths: row.deaths }
    }
  }
}
