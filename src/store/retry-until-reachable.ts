import type { Clock } from '../runtime/clock.ts'
import { StoreUnavailable } from './transaction.ts'

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000

export interface Waiting {
  signal?: AbortSignal
  /** Whether it may be tried again. */
  makesSense?: () => boolean
  onAway?: (error: StoreUnavailable) => void
}

/** Does work that needs the database, and waits for one that is away, as long as there is sense in it. */
export async function retryUntilReachable<T>(clock: Clock, work: () => Promise<T>, waiting: Waiting = {}): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work()
    } catch (error) {
      const isOver = waiting.signal?.aborted === true || waiting.makesSense?.() === false
      if (!(error instanceof StoreUnavailable) || isOver) throw error
      waiting.onAway?.(error)
    }
    await clock.sleep(waitMs, waiting.signal)
  }
}
