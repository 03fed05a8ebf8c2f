import type { StallDetector } from './stall-detector.ts'
import { StoreUnavailable } from './transaction.ts'
import { WaitQueue } from './wait-queue.ts'

interface Waiting<I, O> {
  item: I
  resolve: (result: O) => void
  reject: (error: unknown) => void
}

export interface GroupCommitOptions {
  maxBatch: number
  /**
   * Concurrent batches; more than two improve latency, not throughput. A further one starts only when it is full: two
   * halves cost a fifth more than one batch (docs/decisions/0051).
   */
  inFlight: number
  /** This many waiting items start a batch at once, so that the database works while others are still arriving. */
  startAt: number
  /** Rejects waiting callers when the database stalls. */
  stallDetector?: StallDetector
}

/**
 * Lets concurrent callers share one transaction: items that arrive while a batch is under way form the next one. A
 * batch that fails for one of its items is halved until the bad item is alone.
 */
export function groupCommit<I, O>(
  run: (items: I[]) => Promise<O[]>,
  options: GroupCommitOptions = { maxBatch: 256, inFlight: 2, startAt: 256 },
): (item: I) => Promise<O> {
  const line = new WaitQueue<Waiting<I, O>>(options.stallDetector)
  let running = 0
  let scheduled = false

  /** Whether a batch may start, given that this many wait. */
  const mayStart = (least: number): boolean =>
    line.length >= (running === 0 ? least : options.maxBatch) && running < options.inFlight

  function kick(): void {
    while (mayStart(1)) {
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
      if (error instanceof StoreUnavailable || batch.length === 1) {
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
      if (mayStart(options.startAt)) kick()
      else if (running === 0) schedule()
    })
}
