import { BOUNDS } from '../../domain/bounds.ts'
import { tooManyOpen } from '../../domain/errors.ts'

const RETRY_AFTER_MS = 5_000

/** The files that this process receives or sends, by account. Each takes a connection and some memory for a long time. */
export class FileTransfers {
  readonly #open = new Map<string, number>()

  /** Returns the function that ends the transfer; throws 429 if too many of the account are open. */
  begin(accountId: string): () => void {
    const others = this.#open.get(accountId) ?? 0
    if (others >= BOUNDS.fileTransfers)
      throw tooManyOpen(
        `at most ${BOUNDS.fileTransfers} files of an account may be uploaded or downloaded at the same time; wait until one is done`,
        RETRY_AFTER_MS,
      )
    this.#open.set(accountId, others + 1)
    return () => {
      const left = this.#open.get(accountId)! - 1
      if (left === 0) this.#open.delete(accountId)
      else this.#open.set(accountId, left)
    }
  }
}
