import type { StallDetector } from './stall-detector.ts'
import { DataError } from './transaction.ts'
import { WaitQueue } from './wait-queue.ts'

interface Waiting<I, O> {
  item: I
  resolve: (result: O) => void
  reject: (error: unknown) => void
}

export interface GroupCommitOptions {
  maxBatch: number
  /** Batches under way at once; more than two gives latency, not rate (measured, docs/decisions). */
  inFlight: number
  /** So many that wait are sent at once, so that the database works while their neighbours are still being read. */
  startAt: number
  /** Nobody waits behind a batch for a database that has fallen silent. */
  stallDetector?: StallDetector
}

/**
 * Lets concurrent callers share one transaction: what gathers while a batch is under way goes together in the next.
 * A batch that the database refuses for its data is halved until the bad item stands alone.
 */
export function groupCommit<I, O>(
  run: (items: I[]) => Promise<O[]>,
  options: GroupCommitOptions = { maxBatch: 256, inFlight: 2, startAt: 256 },
): (item: I) => Promise<O> {
  const line = new WaitQueue<Waiting<I, O>>(options.stallDetector)
  let running = 0
  let scheduled = false

  function kick(): void {
    while (line.length > 0 && running < options.inFlight) {
      const batch = line.take(options.maxBatch)
      running++
      void settle(batch).finally(() => {
        running--
        if (line.length > 0) schedule()
      })
    }
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      kick()
    })
  }

  async function settle(batch: Array<Waiting<I, O>>): Promise<void> {
    try {
      const results = await run(batch.map(waiting => waiting.item))
      batch.forEach((waiting, i) => waiting.resolve(results[i]!))
    } catch (error) {
      if (!(error instanceof DataError) || batch.length === 1) {
        for (const waiting of batch) waiting.reject(error)
        return
      }
      const half = batch.length >> 1
      await settle(batch.slice(0, half))
      await settle(batch.slice(half))
    }
  }

  return item =>
    new Promise((resolve, reject) => {
      line.join({ item, resolve, reject })
      if (line.length >= options.startAt && running < options.inFlight) kick()
      else schedule()
    })
}
