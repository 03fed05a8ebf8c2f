import type { Clock } from '../runtime/clock.ts'
import type { SignalAbout, Signals, Topic } from './signals.ts'

interface WakeUpOptions<T extends Topic> {
  /** Filters the signals; without it all count. */
  only?: (signal: SignalAbout<T>) => boolean
  /** It wakes at most this often. */
  quietMs?: number
}

/** Wakes a task that polls the store, before its next poll. */
export class PolledSignal<T extends Topic> {
  readonly #clock: Clock
  readonly #quietMs: number
  readonly #stops: Array<() => void>
  #isWoken = false
  #onWake: (() => void) | undefined

  constructor(
    { store, clock }: { store: { signals: Signals }; clock: Clock },
    topics: T[],
    { only, quietMs = 0 }: WakeUpOptions<T> = {},
  ) {
    this.#clock = clock
    this.#quietMs = quietMs
    this.#stops = topics.map(topic =>
      store.signals.on(topic, signal => {
        if (only === undefined || only(signal)) this.wake()
      }),
    )
  }

  /**
   * Resolves after the time, on a signal, at once if one came since the last sleep, or when the abort signal fires.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const begunMs = this.#clock.monotonicMs()
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        this.#onWake = undefined
        this.#isWoken = false
        resolve()
      }
      let timer = setTimeout(end, this.#isWoken ? Math.min(this.#quietMs, ms) : ms)
      this.#onWake = () => {
        this.#onWake = undefined
        clearTimeout(timer)
        timer = setTimeout(end, Math.max(0, begunMs + this.#quietMs - this.#clock.monotonicMs()))
      }
      if (signal?.aborted) end()
      else signal?.addEventListener('abort', end, { once: true })
    })
  }

  wake(): void {
    this.#isWoken = true
    this.#onWake?.()
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }
}
