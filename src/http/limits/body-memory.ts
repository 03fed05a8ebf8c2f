import { BOUNDS } from '../../domain/bounds.ts'
import { type GatewayError, tooManyOpen } from '../../domain/errors.ts'

const RETRY_AFTER_MS = 1_000

/** The memory of one request's body. */
export interface ReservedBody {
  /** Reserves more for a body that did not declare its size. Throws 429 if there is no room. */
  grow(bytes: number): void
  release(): void
}

/**
 * How many bytes of request bodies this process keeps in memory, in total and of each account. A body is reserved with its
 * declared size before it is read, so that a client which sends it slowly, or never, cannot take more than its share.
 */
export class BodyMemory {
  readonly #ofAccount = new Map<string, number>()
  #total = 0

  /** Throws 429 if there is no room. A caller without an account has no limit besides that of the process. */
  reserve(account: string | null, bytes: number): ReservedBody {
    let reserved = 0
    const grow = (more: number): void => {
      this.#check(account, more)
      this.#add(account, more)
      reserved += more
    }
    grow(bytes)
    return {
      grow,
      release: () => {
        this.#add(account, -reserved)
        reserved = 0
      },
    }
  }

  #check(account: string | null, bytes: number): void {
    const own = account === null ? 0 : (this.#ofAccount.get(account) ?? 0)
    if (own + bytes > BOUNDS.bodyBytesOfAccount) throw accountIsFull()
    if (this.#total + bytes > BOUNDS.bodyBytes) throw processIsFull()
  }

  #add(account: string | null, bytes: number): void {
    this.#total += bytes
    if (account === null) return
    const own = (this.#ofAccount.get(account) ?? 0) + bytes
    if (own === 0) this.#ofAccount.delete(account)
    else this.#ofAccount.set(account, own)
  }
}

const accountIsFull = (): GatewayError =>
  tooManyOpen(
    `at most ${BOUNDS.bodyBytesOfAccount / 1_048_576} MiB of request bodies of an account may be in progress; send fewer at once`,
    RETRY_AFTER_MS,
  )
const processIsFull = (): GatewayError =>
  tooManyOpen('the gateway is reading as many request bodies as it can; send this one again', RETRY_AFTER_MS)
