import { BOUNDS } from '../../domain/bounds.ts'
import { type GatewayError, tooManyOpen } from '../../domain/errors.ts'

/** What an account's requests may have of all places; one that is heavy takes as many alone. */
export const PLACES_OF_ACCOUNT = 4
const PLACES = 2 * PLACES_OF_ACCOUNT
const TRY_AGAIN_MS = 1_000

interface Waiting {
  places: number
  begin(): void
}

/**
 * Who is worked for next. Accounts take turns, each has few requests at work, and between two that begin the event loop
 * goes round: whoever asks for a hundred heavy answers at once waits for them, and everybody else is answered in between.
 */
export class FairScheduler {
  /** Whose turn comes next stands first. */
  readonly #lines = new Map<string, Waiting[]>()
  readonly #places = new Places()
  readonly #processes: () => number
  #hasBegun = false
  #isGoingRound = false

  /** `processes`: how many there are to answer an account. */
  constructor(processes = () => 1) {
    this.#processes = processes
  }

  /**
   * Resolves when the turn of this account has come, with what gives its places back. With no places it is the turn
   * alone, for what takes its time elsewhere. 429 where too many of the account wait already.
   */
  take(account: string, places: number): Promise<() => void> {
    const line = this.#lines.get(account) ?? []
    if (line.length >= this.#mayWait) return Promise.reject(tooManyWait())
    return new Promise(resolve => {
      line.push({ places, begin: () => resolve(() => this.#giveBack(account, places)) })
      this.#lines.set(account, line)
      if (this.#hasBegun) this.#goRound()
      else this.#beginNext()
    })
  }

  /** This process's part of what an account may have waiting; a few more than it works for at once. */
  get #mayWait(): number {
    return Math.max(PLACES, Math.ceil(BOUNDS.waitingRequests / this.#processes()))
  }

  #giveBack(account: string, places: number): void {
    this.#places.occupy(account, -places)
    if (this.#lines.size > 0) this.#goRound()
  }

  #goRound(): void {
    if (this.#isGoingRound) return
    this.#isGoingRound = true
    setImmediate(() => {
      this.#isGoingRound = false
      this.#hasBegun = false
      this.#beginNext()
    })
  }

  #beginNext(): void {
    const found = this.#next()
    if (found === undefined) return
    const [account, line] = found
    const { places, begin } = line.shift()!
    this.#lines.delete(account)
    if (line.length > 0) this.#lines.set(account, line)
    this.#places.occupy(account, places)
    this.#hasBegun = true
    begin()
    this.#goRound()
  }

  /** No more accounts than there are places are passed over. Nobody is: who needs many places would wait for ever. */
  #next(): [string, Waiting[]] | undefined {
    for (const [account, line] of this.#lines) {
      const { places } = line[0]!
      if (!this.#places.areWithinOwn(account, places)) continue
      return this.#places.areFree(places) ? [account, line] : undefined
    }
    return undefined
  }
}

/** How many places are taken, by all and by each account. */
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
    `at most ${BOUNDS.waitingRequests} requests of an account may wait to be answered; ask for less at once`,
    TRY_AGAIN_MS,
  )
