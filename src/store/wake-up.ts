import type { Signals } from './signals.ts'
import type { Topic } from './tx.ts'

export interface WakeUp {
  /** Resolves after the time, on a wake-up, at once where one came since the last sleep, or when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  stop(): void
}

interface WakeUpOptions {
  /** Only wake-ups with this key. */
  key?: string
  /** However often it is called, it wakes no more often than this. */
  quietMs?: number
}

/** For whoever polls the store and wants to know sooner. */
export function makeWakeUp(signals: Signals, topics: Topic[], { key, quietMs = 0 }: WakeUpOptions = {}): WakeUp {
  let called = false
  let wake: (() => void) | undefined
  const stops = topics.map(topic =>
    signals.on(topic, given => {
      if (key !== undefined && given !== key) return
      called = true
      wake?.()
    }),
  )
  return {
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const begunMs = performance.now()
        let timer = setTimeout(done, called ? Math.min(quietMs, ms) : ms)
        function done(): void {
          clearTimeout(timer)
          signal?.removeEventListener('abort', done)
          wake = undefined
          called = false
          resolve()
        }
        wake = () => {
          wake = undefined
          clearTimeout(timer)
          timer = setTimeout(done, Math.max(0, begunMs + quietMs - performance.now()))
        }
        if (signal?.aborted) done()
        else signal?.addEventListener('abort', done, { once: true })
      }),
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}
