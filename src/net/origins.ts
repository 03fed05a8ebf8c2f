import type Pool from 'undici/lib/dispatcher/pool.js'
import { Origin, type OriginOptions } from './origin.ts'

export interface OriginsOptions extends OriginOptions {
  /** Origins kept open beyond those in use. */
  readonly maxIdleOrigins: number
  /** The maximum age of connections for new requests: about this long a name's old address stays in use. */
  readonly socketMaxAgeMs: number
}

const IDLE_AFTER_MS = 30_000
const SWEEP_EVERY_MS = 10_000

/**
 * Connection pools by origin: opened at first use, closed when idle, bounded in number. A pool that has reached its maximum
 * age is replaced as a whole: the library's own age limit leaves a request waiting for ever if all connections reach it
 * at the same time.
 */
export class Origins {
  readonly #options: OriginsOptions
  /** From least to most recently used. */
  readonly #open = new Map<string, Origin>()
  readonly #retired = new Set<Pool>()
  #sweepAtMs: number

  constructor(options: OriginsOptions) {
    this.#options = options
    this.#sweepAtMs = options.clock.monotonicMs() + SWEEP_EVERY_MS
  }

  /** The origin, with one more request in flight on it; each `enter` needs a `leave`. */
  enter(key: string): Origin {
    this.#sweep()
    const known = this.#open.get(key)
    const isYoung = known !== undefined && known.ageMs <= this.#options.socketMaxAgeMs
    if (known !== undefined && !isYoung) this.#retire(key, known)
    const origin = isYoung ? known : this.#openNew(key)
    this.#open.delete(key)
    this.#open.set(key, origin)
    origin.enter()
    return origin
  }

  async close(): Promise<void> {
    const pools = [...[...this.#open.values()].map(origin => origin.pool), ...this.#retired]
    this.#open.clear()
    await Promise.all(pools.map(pool => pool.destroy()))
  }

  /** Requests in flight on it still finish. */
  #retire(key: string, { pool }: Origin): void {
    this.#open.delete(key)
    this.#retired.add(pool)
    void pool.close().finally(() => this.#retired.delete(pool))
  }

  #openNew(key: string): Origin {
    if (this.#open.size >= this.#options.maxIdleOrigins) this.#closeLeastRecent()
    return new Origin(key, this.#options)
  }

  /** Runs with a request, at most every ten seconds: the idle connections of unused origins close on their own timeout. */
  #sweep(): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs < this.#sweepAtMs) return
    this.#sweepAtMs = nowMs + SWEEP_EVERY_MS
    this.#closeIdle(nowMs - IDLE_AFTER_MS)
  }

  #closeIdle(idleSinceMs: number): void {
    for (const [key, origin] of this.#open) {
      if (!origin.isInUse() && !origin.wasUsedSince(idleSinceMs)) this.#shut(key, origin)
    }
  }

  #closeLeastRecent(): void {
    for (const [key, origin] of this.#open) {
      if (!origin.isInUse()) return this.#shut(key, origin)
    }
  }

  #shut(key: string, origin: Origin): void {
    this.#open.delete(key)
    origin.pool.destroy().catch(() => {})
  }
}
