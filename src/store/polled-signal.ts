import type { Clock } from '../runtime/clock.ts'
import type { SignalAbout, Signals, Topic } from './signals.ts'

interface WakeUpOptions<T extends Topic> {
  /** Which of them; all where it is left out. */
  only?: (signal: SignalAbout<T>) => boolean
  /** However many of them come, it wakes no more often than this. */
  quietMs?: number
}

/** For whoever polls the store and wants to know sooner. */
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

  /** Resolves after the time, on a wake-up, at once where one came since the last sleep, or when the signal aborts. */
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
