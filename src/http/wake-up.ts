import type { Store } from '../store/store.ts'
import type { Topic } from '../store/tx.ts'

/** However often it is called, no more often than this. */
const QUIET_MS = 100

export interface WakeUp {
  /** Resolves after the time, or soon after a wake-up of a topic that came since the last call. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  stop(): void
}

/** For whoever polls the store and wants to know sooner. */
export function makeWakeUp(store: Pick<Store, 'signals'>, topics: Topic[]): WakeUp {
  let called = false
  let wake: (() => void) | undefined
  const stops = topics.map(topic =>
    store.signals.on(topic, () => {
      called = true
      wake?.()
    }),
  )
  return {
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const begun = Date.now()
        let timer = setTimeout(done, called ? QUIET_MS : ms)
        function done(): void {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          wake = undefined
          called = false
          resolve()
        }
        wake = () => {
          wake = undefined
          clearTimeout(timer)
          timer = setTimeout(done, Math.max(0, begun + QUIET_MS - Date.now()))
        }
        if (signal.aborted) done()
        else signal.addEventListener('abort', done, { once: true })
      }),
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}
