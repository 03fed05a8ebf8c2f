import { type StallDetector, silent } from './stall-detector.ts'
import { StoreUnavailable } from './transaction.ts'

/** More than this never wait: whoever comes then is told at once. */
export const MAX_QUEUED = 4_096

interface Waiting {
  reject: (error: unknown) => void
}

/** Those who wait for the database. Where it falls silent they are let go, and whoever comes then as well. */
export class WaitQueue<W extends Waiting> {
  readonly #waiting: W[] = []
  readonly #stallDetector: StallDetector | undefined

  /** Without a stallDetector the database never falls silent. */
  constructor(stallDetector?: StallDetector) {
    this.#stallDetector = stallDetector
    stallDetector?.onSilent(() => {
      for (const { reject } of this.#waiting.splice(0)) reject(silent())
    })
  }

  get length(): number {
    return this.#waiting.length
  }

  join(waiting: W): void {
    if (this.#stallDetector?.isSilent() === true) waiting.reject(silent())
    else if (this.#waiting.length < MAX_QUEUED) this.#waiting.push(waiting)
    else waiting.reject(new StoreUnavailable('too many wait for the database'))
  }

  /** The first of them, as many as asked for. */
  take(count: number): W[] {
    return this.#waiting.splice(0, count)
  }
}
