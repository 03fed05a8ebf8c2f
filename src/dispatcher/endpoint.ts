import { Deferred } from '../runtime/deferred.ts'
import { type Breaker, isNarrowed, recordResult, newBreaker } from './breaker.ts'
import { isBefore, type Lane } from './lane.ts'

/** One URL of one webhook. Categories that share the URL share its limit and its order. */
export class Endpoint {
  readonly accountId: string
  readonly lanes = new Set<Lane>()
  readonly breaker: Breaker = newBreaker()
  #inFlight = 0
  #usedAt: number
  /** Resolves when the last request that waits has started; `undefined` if none waits. */
  #lastStarted: Promise<void> | undefined

  constructor(accountId: string, nowMs: number) {
    this.accountId = accountId
    this.#usedAt = nowMs
  }

  /** The lane whose first delivery has been due the longest. */
  get headLane(): Lane | undefined {
    let head: Lane | undefined
    for (const lane of this.lanes) {
      if (lane.head !== undefined && (head === undefined || isBefore(lane.head, head.head!))) head = lane
    }
    return head
  }

  get hasRoom(): boolean {
    return this.#inFlight < this.breaker.limit
  }

  get isIdle(): boolean {
    return this.lanes.size === 0 && this.#inFlight === 0
  }

  get isFailing(): boolean {
    return isNarrowed(this.breaker)
  }

  /** A failing endpoint is remembered, so that its breaker stays narrow. */
  failsSince(ms: number): boolean {
    return this.breaker.failures > 0 && this.#usedAt > ms
  }

  begin(nowMs: number): void {
    this.#inFlight++
    this.#usedAt = nowMs
  }

  /** It has responded: it may get its next request. */
  end(): void {
    this.#inFlight--
  }

  recordResult(delivered: boolean): void {
    recordResult(this.breaker, delivered)
  }

  /** Whether a request of it still waits to start. */
  get isStarting(): boolean {
    return this.#lastStarted !== undefined
  }

  /** Requests start in order: resolves when the previous ones have started, with a function that reports this one's start. */
  async waitForTurn(): Promise<() => void> {
    const before = this.#lastStarted
    const started = new Deferred<void>()
    this.#lastStarted = started.promise
    await before
    return () => {
      started.resolve()
      if (this.#lastStarted === started.promise) this.#lastStarted = undefined
    }
  }
}
