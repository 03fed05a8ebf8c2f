import { BOUNDS } from '../../domain/bounds.ts'
import { tooManyOpen } from '../../domain/errors.ts'
import type { MEDIA_OUTCOMES, Metrics } from '../../observability/metrics.ts'

const RETRY_AFTER_MS = 5_000

type Direction = 'upload' | 'download'
type Outcome = (typeof MEDIA_OUTCOMES)[number]

/** Ends a transfer. `bytes`: those of the file, or of the part of it, if it is done. */
type End = (outcome: Outcome, bytes?: number) => void

/** The files that this process receives or sends, by account. Each takes a connection and some memory for a long time. */
export class FileTransfers {
  readonly #metrics: Pick<Metrics, 'mediaTransfers' | 'mediaTransferred'>
  readonly #open = new Map<string, number>()

  constructor(metrics: Pick<Metrics, 'mediaTransfers' | 'mediaTransferred'>) {
    this.#metrics = metrics
  }

  /** Returns the function that ends the transfer; throws 429 if too many of the account are open. */
  begin(accountId: string, direction: Direction): End {
    const { mediaTransfers, mediaTransferred } = this.#metrics
    const others = this.#open.get(accountId) ?? 0
    if (others >= BOUNDS.fileTransfers) {
      mediaTransfers.inc({ direction, outcome: 'refused' })
      throw tooManyOpen(
        `at most ${BOUNDS.fileTransfers} files of an account may be uploaded or downloaded at the same time; wait until one is done`,
        RETRY_AFTER_MS,
      )
    }
    this.#open.set(accountId, others + 1)
    return (outcome, bytes = 0) => {
      mediaTransfers.inc({ direction, outcome })
      mediaTransferred.inc({ direction }, bytes)
      const left = this.#open.get(accountId)! - 1
      if (left === 0) this.#open.delete(accountId)
      else this.#open.set(accountId, left)
    }
  }
}
