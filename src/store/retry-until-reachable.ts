import type { Clock } from '../runtime/clock.ts'
import { StoreUnavailable } from './transaction.ts'

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000

export interface RetryOptions {
  signal?: AbortSignal
  /** Whether it may be tried again. */
  mayRetry?: () => boolean
  onUnreachable?: (error: StoreUnavailable) => void
}

/** Repeats work while the database is unreachable, as long as `mayRetry` allows it. */
export async function retryUntilReachable<T>(
  clock: Clock,
  work: () => Promise<T>,
  options: RetryOptions = {},
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work()
    } catch (error) {
      const isOver = options.signal?.aborted === true || options.mayRetry?.() === false
      if (!(error instanceof StoreUnavailable) || isOver) throw error
      options.onUnreachable?.(error)
    }
    await clock.sleep(waitMs, options.signal)
  }
}
