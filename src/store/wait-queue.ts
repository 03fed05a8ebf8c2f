import { type StallDetector, stalled } from './stall-detector.ts'
import { StoreUnavailable } from './transaction.ts'

/** More callers than this are rejected at once. */
export const MAX_QUEUED = 4_096

interface Waiting {
  reject: (error: unknown) => void
}

/** Calls that wait for the database. When it stalls, they are rejected, and so are later ones. */
export class WaitQueue<W extends Waiting> {
  readonly #waiting: W[] = []
  readonly #stallDetector: StallDetector | undefined

  /** Without a stall detector the database never counts as stalled. */
  constructor(stallDetector?: StallDetector) {
    this.#stallDetector = stallDetector
    stallDetector?.onStall(() => {
      for (const { reject } of this.#waiting.splice(0)) reject(stalled())
    })
  }

  get length(): number {
    return this.#waiting.length
  }

  join(waiting: W): void {
    if (this.#stallDetector?.isStalled() === true) waiting.reject(stalled())
    else if (this.#waiting.length < MAX_QUEUED) this.#waiting.push(waiting)
    else waiting.reject(new StoreUnavailable('too many wait for the database'))
  }

  /** Removes and returns the first calls. */
  take(count: number): W[] {
    return this.#waiting.splice(0, count)
  }
}
