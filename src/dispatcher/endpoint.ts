import type { Clock } from '../runtime/clock.ts'
import { Deferred } from '../runtime/deferred.ts'
import { type Breaker, isNarrowed, recordResult, newBreaker } from './breaker.ts'
import { isBefore, type Lane } from './lane.ts'

/** One URL of one webhook, or an endpoint of an account. Lanes that share the URL share its limit and its order. */
export class Endpoint {
  readonly accountId: string
  readonly lanes = new Set<Lane>()
  readonly breaker: Breaker = newBreaker()
  readonly #clock: Clock
  #inFlight = 0
  #usedAt: number
  /** When the first failed request since the last success began, and the last successful one; `null` if there was none. */
  #failingSince: number | null = null
  #answeredAt: number | null = null
  /** While it is probed: when the next probe may begin, by the monotonic clock. */
  #nextProbeAt: number | null = null
  /** Failed deliveries that are not in their places in the lanes again. */
  #held = 0
  /** Resolves when the last request that waits has started; `undefined` if none waits. */
  #lastStarted: Promise<void> | undefined

  constructor(accountId: string, clock: Clock) {
    this.accountId = accountId
    this.#clock = clock
    this.#usedAt = clock.monotonicMs()
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
    if (this.#held > 0) return false
    if (this.#nextProbeAt === null) return this.#inFlight < this.breaker.limit
    return this.#inFlight === 0 && this.#clock.monotonicMs() >= this.#nextProbeAt
  }

  /** It fails, and is probed. */
  get isDown(): boolean {
    return this.#nextProbeAt !== null
  }

  get failingSince(): number | null {
    return this.#failingSince
  }

  /** Whether it has accepted a delivery that began since then. */
  hasAnsweredSince(ms: number): boolean {
    return this.#answeredAt !== null && this.#answeredAt >= ms
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

  recordResult(delivered: boolean, begunAtMs: number): void {
    recordResult(this.breaker, delivered)
    if (!delivered) {
      this.#failingSince ??= begunAtMs
      return
    }
    this.#failingSince = null
    this.#answeredAt = begunAtMs
    this.#nextProbeAt = null
    for (const lane of this.lanes) lane.clearSuspects()
  }

  /** A delivery has failed that keeps its place: no other begins until it is there again. */
  hold(): void {
    this.#held++
    this.breaker.limit = 1
    this.#nextProbeAt = Number.POSITIVE_INFINITY
  }

  /** The delivery has its place. Allows one request at a time from then on, until one succeeds. */
  probeAfter(ms: number): void {
    this.#held--
    // Another request may have succeeded meanwhile.
    if (this.#nextProbeAt !== null) this.#nextProbeAt = this.#clock.monotonicMs() + ms
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
