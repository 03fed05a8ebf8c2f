import { type PlatformSession, StorageAway } from '../../platform/platform.ts'
import type { Semaphore } from '../../runtime/semaphore.ts'
import { StoreUnavailable } from '../../store/transaction.ts'
import { afterTry, howToTry, type Unforwarded } from './forward-tries.ts'
import { LeaseLost } from '../hold.ts'
import { TaskGroup } from '../task-group.ts'
import type { Inbox } from './inbox.ts'
import type { PlacedItem } from './inbox-queue.ts'
import { giveUpItem, settleItem, type SettleItemDeps } from './settle-item.ts'
import { withDeadline } from '../../runtime/deadline.ts'

export interface ForwarderDeps extends SettleItemDeps {
  inbox: Inbox
  interpreter: Pick<PlatformSession, 'interpret'>
  /** Lets one item of the process through at a time: those that a host may have died of. */
  suspects: Semaphore
}

/** Of what needs a file, and of all else: who sends files that never come holds up other files alone. */
const SIDE_BY_SIDE = 8
const INTERPRET_TIMEOUT_MS = 90_000
const LOOK_AGAIN_MS = 20

type Kind = 'file' | 'other'
const kindOf = ({ kind }: PlacedItem): Kind => (kind === 'file_message' ? 'file' : 'other')

/** Turns what a number received into events: in order within a chat, chats side by side, again after a crash. */
export class Forwarder {
  readonly #deps: ForwarderDeps
  readonly #underWay: TaskGroup
  readonly #begun: Record<Kind, number> = { file: 0, other: 0 }

  constructor(deps: ForwarderDeps) {
    this.#deps = deps
    this.#underWay = new TaskGroup(deps, deps.hold)
  }

  /** Goes on from what an earlier host left behind. */
  start(): void {
    void this.#run()
  }

  /** Begins nothing more and resolves when what was begun has ended. */
  async stop(): Promise<void> {
    const ended = this.#underWay.finish(0)
    this.#deps.inbox.stirred.ring()
    await ended
  }

  /** Resolves with true when nothing is waiting, or with false when the time is over. */
  async drained(timeoutMs: number): Promise<boolean> {
    const { clock, hold, inbox } = this.#deps
    const untilMs = clock.monotonicMs() + timeoutMs
    while (!inbox.isEmpty && hold.lasts() && clock.monotonicMs() < untilMs) {
      await clock.sleep(LOOK_AGAIN_MS, this.#underWay.signal)
    }
    return inbox.isEmpty
  }

  get #mayBegin(): boolean {
    return !this.#underWay.signal.aborted && this.#deps.hold.lasts()
  }

  async #run(): Promise<void> {
    while (!this.#underWay.signal.aborted) {
      this.#beginWaiting()
      await this.#deps.inbox.stirred.heard()
    }
  }

  #beginWaiting(): void {
    const { inbox } = this.#deps
    while (this.#mayBegin) {
      const item = inbox.take(each => this.#begun[kindOf(each)] < SIDE_BY_SIDE)
      if (item === undefined) break
      this.#begin(item)
    }
    if (this.#mayBegin) inbox.readMore(this.#underWay.signal)
  }

  #begin(item: PlacedItem): void {
    const kind = kindOf(item)
    this.#begun[kind]++
    const forwarding = this.#forward(item).finally(() => {
      this.#begun[kind]--
      this.#deps.inbox.stirred.ring()
    })
    this.#underWay.add(forwarding)
  }

  async #forward(item: PlacedItem): Promise<void> {
    const { inbox, hold, log, clock } = this.#deps
    try {
      await this.#forwardOnce(item)
      inbox.done(item)
    } catch (error) {
      const after = afterTry(this.#whyNot(error), item.failures)
      // The host is alive.
      await this.#uncount(item)
      if (after.next === 'leave') return inbox.done(item)
      item.failures = after.failures
      log.warn({ session: hold.sessionId, kind: item.kind, tries: item.failures, err: error }, 'event.failed')
      await clock.sleep(after.waitMs, this.#underWay.signal)
      inbox.putBack(item)
    }
  }

  #whyNot(error: unknown): Unforwarded {
    if (error instanceof LeaseLost) return 'lost'
    if (this.#underWay.signal.aborted) return 'stopped'
    return error instanceof StoreUnavailable || error instanceof StorageAway ? 'store_away' : 'failed'
  }

  async #forwardOnce(item: PlacedItem): Promise<void> {
    const { inbox, suspects } = this.#deps
    const how = howToTry(item, inbox.isInherited(item))
    switch (how) {
      case 'give_up':
        return await giveUpItem(this.#deps, item)
      case 'alone':
        return await suspects.run(() => this.#interpretCounted(item), this.#underWay.signal)
      case 'count':
        return await this.#interpretCounted(item)
      case 'try':
        return await this.#interpret(item)
      default: {
        const never: never = how
        return never
      }
    }
  }

  async #interpretCounted(item: PlacedItem): Promise<void> {
    await this.#count(item)
    await this.#interpret(item)
  }

  async #interpret(item: PlacedItem): Promise<void> {
    const { clock, interpreter } = this.#deps
    const interpret = (signal: AbortSignal) => interpreter.interpret(item, signal)
    const meaning = await withDeadline(clock, INTERPRET_TIMEOUT_MS, interpret, this.#underWay.signal)
    await settleItem(this.#deps, item, meaning)
  }

  async #count(item: PlacedItem): Promise<void> {
    item.isCounted = true
    await this.#countBy(item, 1)
  }

  /** Where it fails, a death too many is counted. */
  async #uncount(item: PlacedItem): Promise<void> {
    if (item.isCounted !== true) return
    item.isCounted = false
    await this.#countBy(item, -1).catch(() => {})
  }

  async #countBy({ key }: PlacedItem, by: 1 | -1): Promise<void> {
    const { hold, store } = this.#deps
    await hold.commit(() => store.inbox.countInboxDeath({ lease: hold.lease, key, by }))
  }
}
