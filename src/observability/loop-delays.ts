import perfHooks, { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks'
import { systemClock } from '../runtime/clock.ts'

const BUSY_EVERY_MS = 100
/** An idle loop is measured at every sixth second, when heartbeats wake it anyway. */
const IDLE_EVERY_MS = 6_000
/** Above this share of its time a loop counts as busy. */
const BUSY_SHARE = 0.05
const NANOSECONDS = 1e6

/**
 * How late the timers of this thread are. Node's own monitor would wake an idle process for every sample, which costs
 * more than all else that such a process does; its values include the time between two samples, and so do these.
 */
class LoopDelays {
  readonly #delays: RecordableHistogram = createHistogram()
  #before = performance.eventLoopUtilization()
  #dueAtMs = 0

  enable(): void {
    this.#measureIn(BUSY_EVERY_MS)
  }

  get min(): number {
    return this.#isEmpty ? BUSY_EVERY_MS * NANOSECONDS : this.#delays.min
  }

  get max(): number {
    return this.#isEmpty ? BUSY_EVERY_MS * NANOSECONDS : this.#delays.max
  }

  get mean(): number {
    return this.#isEmpty ? BUSY_EVERY_MS * NANOSECONDS : this.#delays.mean
  }

  get stddev(): number {
    return this.#isEmpty ? 0 : this.#delays.stddev
  }

  percentile(share: number): number {
    return this.#isEmpty ? BUSY_EVERY_MS * NANOSECONDS : this.#delays.percentile(share)
  }

  reset(): void {
    this.#delays.reset()
  }

  get #isEmpty(): boolean {
    return this.#delays.count === 0
  }

  #measureIn(ms: number): void {
    const nowMs = systemClock.monotonicMs()
    this.#dueAtMs = ms < IDLE_EVERY_MS ? nowMs + ms : (Math.floor(nowMs / ms) + 1) * ms
    setTimeout(() => this.#measure(), this.#dueAtMs - nowMs).unref()
  }

  #measure(): void {
    const lateMs = Math.max(0, systemClock.monotonicMs() - this.#dueAtMs)
    this.#delays.record(Math.round((BUSY_EVERY_MS + lateMs) * NANOSECONDS))
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#before)
    this.#before = now
    this.#measureIn(utilization > BUSY_SHARE ? BUSY_EVERY_MS : IDLE_EVERY_MS)
  }
}

/** The library of the metrics reads the delays from these instead of Node's monitor, which it would begin. */
export function withLoopDelays(collect: () => void): void {
  const hooks = perfHooks as { monitorEventLoopDelay: unknown }
  const original = hooks.monitorEventLoopDelay
  hooks.monitorEventLoopDelay = () => new LoopDelays()
  try {
    collect()
  } finally {
    hooks.monitorEventLoopDelay = original
  }
}
