import type { StallDetector } from './stall-detector.ts'
import { StoreUnavailable } from './transaction.ts'
import { WaitQueue } from './wait-queue.ts'

interface Waiting<I, O> {
  item: I
  resolve: (result: O) => void
  reject: (error: unknown) => void
}

/** A batch looks this often for further callers. It waits for two looks, and for two more while callers keep coming. */
const LOOK_MS = 1
const FURTHER_LOOKS = 3
/** Fewer than ever wait: the first look only counts. */
const NOT_COUNTED = -1

/** A batch that waits for callers. */
interface Gathering {
  /** It starts when this many wait. */
  expected: number
  /** How many waited when it last looked. */
  seen: number
  looksLeft: number
}

export interface GroupCommitOptions {
  maxBatch: number
  /**
   * Concurrent batches; more than two improve latency, not throughput. A further one starts only when it is full: two
   * halves cost a fifth more than one batch (docs/decisions/0051).
   */
  inFlight: number
  /** This many waiting items start a batch at once: a larger one hardly costs less for each. */
  startAt: number
  /** How often a batch that waits for the callers of the last one looks for them. */
  lookMs?: number
  /** Rejects waiting callers when the database stalls. */
  stallDetector?: StallDetector
}

/**
 * Lets concurrent callers share one transaction: items that arrive while a batch is under way form the next one, together
 * with those of the callers that come back when it ends. Otherwise the callers would divide into two halves that take
 * turns, and every commit would have half the items. A batch that fails for one of its items is halved until the bad
 * item is alone.
 */
export function groupCommit<I, O>(
  run: (items: I[]) => Promise<O[]>,
  options: GroupCommitOptions = { maxBatch: 256, inFlight: 2, startAt: 256 },
): (item: I) => Promise<O> {
  const line = new WaitQueue<Waiting<I, O>>(options.stallDetector)
  let running = 0
  let scheduled = false
  let gathering: Gathering | undefined
  let timer: NodeJS.Timeout | undefined

  /** Whether a batch may start, given that this many wait. */
  const mayStart = (least: number): boolean =>
    line.length >= (running === 0 ? least : options.maxBatch) && running < options.inFlight

  function kick(): void {
    while (mayStart(1)) {
      stopGathering()
      const batch = line.take(options.maxBatch)
      running++
      void settle(batch).finally(() => {
        running--
        if (running === 0) gather(Math.min(options.startAt, line.length + batch.length))
        if (line.length > 0 && hasGathered()) schedule()
      })
    }
  }

  const hasGathered = (): boolean => line.length >= (gathering?.expected ?? 0)

  function stopGathering(): void {
    gathering = undefined
    clearTimeout(timer)
  }

  function gather(expected: number): void {
    stopGathering()
    if (expected <= Math.max(line.length, 1)) return
    waitForCallers({ expected, seen: NOT_COUNTED, looksLeft: FURTHER_LOOKS })
  }

  function waitForCallers(next: Gathering): void {
    gathering = next
    // A busy process reads what has arrived before it looks.
    timer = setTimeout(() => setImmediate(() => look(next)), options.lookMs ?? LOOK_MS)
  }

  function look(own: Gathering): void {
    if (gathering !== own) return
    const { expected, seen, looksLeft } = own
    if (line.length > seen && looksLeft > 0)
      return waitForCallers({ expected, seen: line.length, looksLeft: looksLeft - 1 })
    stopGathering()
    kick()
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
      else if (running === 0 && hasGathered()) schedule()
    })
}
