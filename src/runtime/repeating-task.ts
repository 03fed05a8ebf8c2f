import type { Clock, EndSignal } from './clock.ts'

const RETRY_MS = 500
const [BEAT_MS, SECOND_MS] = [500, 1_000]
/** By how much a task may have shortened its wait of whole seconds: by the time that its work took. */
const WORK_MS = 100
const [SHORTEST_ALIGNED_MS, LONGEST_ALIGNED_MS] = [400, 30_000]

interface Deps {
  clock: Clock
  log: { warn(fields: { err: unknown }, event: string): void }
}

/** Runs the same work repeatedly until it is stopped. A failure is logged, and the work is tried again. */
export class RepeatingTask {
  readonly #deps: Deps
  readonly #name: string
  readonly #work: () => Promise<number>
  readonly #afterFailureMs: number
  readonly #sooner = new Sooner()

  /** `work` returns how many milliseconds to wait before the next run. */
  constructor(deps: Deps, name: string, work: () => Promise<number>, afterFailureMs = RETRY_MS) {
    this.#deps = deps
    this.#name = name
    this.#work = work
    this.#afterFailureMs = afterFailureMs
  }

  /** Ends the wait before the next run. While the work is running, another run follows immediately. */
  runSoon(): void {
    this.#sooner.abort()
  }

  /** Starts immediately, or after the given time. */
  async run(signal: AbortSignal, firstAfterMs = 0): Promise<void> {
    const { clock } = this.#deps
    const end = (): void => this.runSoon()
    signal.addEventListener('abort', end, { once: true })
    if (firstAfterMs > 0 && !signal.aborted) await clock.sleep(firstAfterMs, this.#sooner)
    while (!signal.aborted) {
      this.#sooner.aborted = false
      const waitMs = await this.#once(signal)
      if (!signal.aborted) await clock.sleep(onBeat(waitMs, clock.monotonicMs()), this.#sooner)
    }
    signal.removeEventListener('abort', end)
  }

  async #once(signal: AbortSignal): Promise<number> {
    try {
      return await this.#work()
    } catch (error) {
      if (!signal.aborted) this.#deps.log.warn({ err: error }, `${this.#name}_failed`)
      return this.#afterFailureMs
    }
  }
}

/** Ends one wait at a time. Listeners of an `AbortSignal` would cost an idle process as much as the timers themselves. */
class Sooner implements EndSignal {
  aborted = false
  #end: (() => void) | undefined

  abort(): void {
    this.aborted = true
    this.#end?.()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#end = listener
  }

  removeEventListener(): void {
    this.#end = undefined
  }
}

/**
 * The wait, ended at a beat, so that the tasks of an idle process wake it together: a wait of whole seconds at a multiple of
 * itself, and earlier rather than later; others at the nearest half of a second.
 */
export function onBeat(waitMs: number, nowMs: number): number {
  if (waitMs < SHORTEST_ALIGNED_MS || waitMs > LONGEST_ALIGNED_MS) return waitMs
  const wholeMs = Math.ceil(waitMs / SECOND_MS) * SECOND_MS
  if (wholeMs - waitMs < WORK_MS) return Math.floor((nowMs + waitMs + WORK_MS) / wholeMs) * wholeMs - nowMs
  return Math.round((nowMs + waitMs) / BEAT_MS) * BEAT_MS - nowMs
}
