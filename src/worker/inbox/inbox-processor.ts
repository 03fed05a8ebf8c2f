import { type PlatformSession, StorageUnavailable } from '../../platform/platform.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type { Semaphore } from '../../runtime/semaphore.ts'
import { StoreUnavailable } from '../../store/transaction.ts'
import { LeaseLost } from '../held-lease.ts'
import { TaskGroup } from '../task-group.ts'
import { abandonItem, finishItem, type FinishItemDeps } from './finish-item.ts'
import type { Inbox } from './inbox.ts'
import type { PlacedItem } from './inbox-queue.ts'
import { afterAttempt, type AttemptError, howToAttempt } from './item-attempts.ts'

export interface InboxProcessorDeps extends FinishItemDeps {
  inbox: Inbox
  interpreter: Pick<PlatformSession, 'interpret'>
  /** Admits one suspect of this host at a time: an item that may have killed an earlier host. */
  suspects: Semaphore
}

/** Separate limits for items with a file and all others: a sender of files that never load only delays files. */
const CONCURRENCY = 8
const INTERPRET_TIMEOUT_MS = 90_000
const DRAIN_POLL_MS = 20

type Kind = 'file' | 'other'
const kindOf = ({ kind }: PlacedItem): Kind => (kind === 'file_message' ? 'file' : 'other')

/** Turns received items into events: in order within a chat, chats concurrently, again after a crash. */
export class InboxProcessor {
  readonly #deps: InboxProcessorDeps
  readonly #tasks: TaskGroup
  readonly #running: Record<Kind, number> = { file: 0, other: 0 }

  constructor(deps: InboxProcessorDeps) {
    this.#deps = deps
    this.#tasks = new TaskGroup(deps, deps.heldLease)
  }

  /** Begins with the items that an earlier host left behind. */
  start(): void {
    void this.#run()
  }

  /** Begins nothing more and resolves when the items under way have ended. */
  async stop(): Promise<void> {
    const ended = this.#tasks.finish(0)
    this.#deps.inbox.changed.notify()
    await ended
  }

  /** Resolves with true when no item waits, or with false after the timeout. */
  async drained(timeoutMs: number): Promise<boolean> {
    const { clock, heldLease, inbox } = this.#deps
    const untilMs = clock.monotonicMs() + timeoutMs
    while (!inbox.isEmpty && heldLease.isValid() && clock.monotonicMs() < untilMs) {
      await clock.sleep(DRAIN_POLL_MS, this.#tasks.signal)
    }
    return inbox.isEmpty
  }

  get #mayBegin(): boolean {
    return !this.#tasks.signal.aborted && this.#deps.heldLease.isValid()
  }

  async #run(): Promise<void> {
    while (!this.#tasks.signal.aborted) {
      this.#beginWaiting()
      await this.#deps.inbox.changed.wait()
    }
  }

  #beginWaiting(): void {
    const { inbox } = this.#deps
    while (this.#mayBegin) {
      const item = inbox.take(each => this.#isSuspect(each) || this.#running[kindOf(each)] < CONCURRENCY)
      if (item === undefined) break
      this.#begin(item)
    }
    if (this.#mayBegin) inbox.readMore(this.#tasks.signal)
  }

  /** The semaphore limits suspects. They take no slot, so that those that wait for it delay no other chat. */
  #begin(item: PlacedItem): void {
    const { inbox } = this.#deps
    const kind = this.#isSuspect(item) ? undefined : kindOf(item)
    if (kind !== undefined) this.#running[kind]++
    const processing = this.#process(item).finally(() => {
      if (kind !== undefined) this.#running[kind]--
      inbox.changed.notify()
    })
    this.#tasks.add(processing)
  }

  #isSuspect(item: PlacedItem): boolean {
    return this.#howToAttempt(item) === 'alone'
  }

  #howToAttempt(item: PlacedItem): ReturnType<typeof howToAttempt> {
    const { failures, diedWithIt } = item
    return howToAttempt({ failures, deaths: diedWithIt.length }, this.#deps.inbox.isInherited(item))
  }

  async #process(item: PlacedItem): Promise<void> {
    const { inbox, heldLease, log, clock } = this.#deps
    try {
      await this.#attempt(item)
      inbox.done(item)
    } catch (error) {
      const after = afterAttempt(this.#reasonOf(error), item.failures)
      await this.#recordSurvived(item)
      if (after.next === 'leave') return inbox.done(item)
      item.failures = after.failures
      log.warn({ session: heldLease.sessionId, kind: item.kind, failures: item.failures, err: error }, 'event.failed')
      await clock.sleep(after.waitMs, this.#tasks.signal)
      inbox.putBack(item)
    }
  }

  #reasonOf(error: unknown): AttemptError {
    if (error instanceof LeaseLost) return 'lease_lost'
    if (this.#tasks.signal.aborted) return 'stopped'
    return error instanceof StoreUnavailable || error instanceof StorageUnavailable ? 'store_unreachable' : 'failed'
  }

  async #attempt(item: PlacedItem): Promise<void> {
    const how = this.#howToAttempt(item)
    switch (how) {
      case 'abandon':
        return await abandonItem(this.#deps, item)
      case 'alone':
        return await this.#deps.suspects.run(() => this.#recordAndInterpret(item), this.#tasks.signal)
      case 'record':
        return await this.#recordAndInterpret(item)
      case 'attempt':
        return await this.#interpret(item)
      default: {
        const never: never = how
        return never
      }
    }
  }

  async #recordAndInterpret(item: PlacedItem): Promise<void> {
    item.isRecorded = true
    await this.#recordBegunBy(item, [...item.diedWithIt, this.#deps.heldLease.lease.owner])
    await this.#interpret(item)
  }

  async #interpret(item: PlacedItem): Promise<void> {
    const { clock, interpreter } = this.#deps
    const interpret = (signal: AbortSignal) => interpreter.interpret(item, signal)
    const meaning = await withDeadline(clock, INTERPRET_TIMEOUT_MS, interpret, this.#tasks.signal)
    await finishItem(this.#deps, item, meaning, this.#tasks.signal)
  }

  /** If the lease is lost, this host stays recorded, and counts as dead once it sends no heartbeat any more. */
  async #recordSurvived(item: PlacedItem): Promise<void> {
    if (item.isRecorded !== true) return
    item.isRecorded = false
    await this.#recordBegunBy(item, item.diedWithIt).catch(() => {})
  }

  async #recordBegunBy({ key }: PlacedItem, owners: readonly string[]): Promise<void> {
    const { heldLease, store } = this.#deps
    await heldLease.commit(() => store.inbox.recordBegunBy({ lease: heldLease.lease, key, owners }))
  }
}
