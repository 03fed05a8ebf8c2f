import { BOUNDS } from '../../domain/bounds.ts'
import { type GatewayError, tooManyOpen } from '../../domain/errors.ts'

/** How many of all places one account may occupy; a heavy request takes that many alone. */
export const PLACES_OF_ACCOUNT = 4
const PLACES = 2 * PLACES_OF_ACCOUNT
const RETRY_AFTER_MS = 1_000

interface Waiting {
  places: number
  begin(): void
}

/**
 * Decides which request is processed next. Accounts take turns, each has few requests in progress, and the event loop runs
 * between two that begin: a client with a hundred heavy requests waits for them, and other accounts are served in between.
 */
export class FairScheduler {
  /** Requests that wait, by account; the account at the front is served next. */
  readonly #queues = new Map<string, Waiting[]>()
  readonly #places = new Places()
  readonly #processes: () => number
  #hasBegun = false
  #isScheduled = false

  /** `processes`: how many processes serve requests. */
  constructor(processes = () => 1) {
    this.#processes = processes
  }

  /**
   * Resolves when the account's slot has come, with the function that frees its places. A request with no places only waits
   * for its slot. Rejects with 429 if too many requests of the account wait already.
   */
  take(account: string, places: number): Promise<() => void> {
    const queue = this.#queues.get(account) ?? []
    if (queue.length >= this.#maxWaiting) return Promise.reject(tooManyWait())
    return new Promise(resolve => {
      queue.push({ places, begin: () => resolve(() => this.#release(account, places)) })
      this.#queues.set(account, queue)
      if (this.#hasBegun) this.#schedule()
      else this.#beginNext()
    })
  }

  /** This process's share of what an account may have waiting, and at least as many as run at a time. */
  get #maxWaiting(): number {
    return Math.max(PLACES, Math.ceil(BOUNDS.waitingRequests / this.#processes()))
  }

  #release(account: string, places: number): void {
    this.#places.occupy(account, -places)
    if (this.#queues.size > 0) this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#hasBegun = false
      this.#beginNext()
    })
  }

  #beginNext(): void {
    const found = this.#next()
    if (found === undefined) return
    const [account, queue] = found
    const { places, begin } = queue.shift()!
    this.#queues.delete(account)
    if (queue.length > 0) this.#queues.set(account, queue)
    this.#places.occupy(account, places)
    this.#hasBegun = true
    begin()
    this.#schedule()
  }

  /** Skips accounts that occupy all their places, but no request that needs more free places: it would wait for ever. */
  #next(): [string, Waiting[]] | undefined {
    for (const [account, queue] of this.#queues) {
      const { places } = queue[0]!
      if (!this.#places.areWithinOwn(account, places)) continue
      return this.#places.areFree(places) ? [account, queue] : undefined
    }
    return undefined
  }
}

/** How many places are occupied, in total and by each account. */
class Places {
  readonly #ofAccount = new Map<string, number>()
  #taken = 0

  occupy(account: string, places: number): void {
    this.#taken += places
    const own = (this.#ofAccount.get(account) ?? 0) + places
    if (own === 0) this.#ofAccount.delete(account)
    else this.#ofAccount.set(account, own)
  }

  areFree(places: number): boolean {
    return this.#taken + places <= PLACES
  }

  areWithinOwn(account: string, places: number): boolean {
    return (this.#ofAccount.get(account) ?? 0) + places <= PLACES_OF_ACCOUNT
  }
}

const tooManyWait = (): GatewayError =>
  tooManyOpen(
    `at most ${BOUNDS.waitingRequests} requests of an account may wait for a response; send fewer at the same time`,
    RETRY_AFTER_MS,
  )

/**
 * Accounts also take turns over the parts of files, so that no account waits for a whole file of another. A part that took
 * work may be empty.
 */
export async function* inTurn(
  scheduler: FairScheduler,
  account: string,
  parts: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    await scheduler.take(account, 0)
    if (part.length > 0) yield part
  }
}
