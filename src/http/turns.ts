import { BOUNDS } from '../domain/bounds.ts'
import { GatewayError } from '../domain/errors.ts'

/** What an account's requests may have of all places; one that is heavy takes as many alone. */
export const PLACES_OF_ACCOUNT = 4
const PLACES = 2 * PLACES_OF_ACCOUNT
const TRY_AGAIN_MS = 1_000

/**
 * Who is worked for next. Accounts take turns, each has few requests at work, and between two that begin the event loop
 * goes round: whoever asks for a hundred heavy answers at once waits for them, and everybody else is answered in between.
 */
export interface Turns {
  /**
   * Resolves when the turn of this account has come, with what gives its places back. With no places it is the turn
   * alone, for what takes its time elsewhere. 429 where too many of the account wait already.
   */
  take(account: string, places: number): Promise<() => void>
}

interface Waiting {
  places: number
  begin(): void
}

export function makeTurns(): Turns {
  /** Whose turn comes next stands first. */
  const lines = new Map<string, Waiting[]>()
  const atWork = new Map<string, number>()
  let taken = 0
  let hasBegun = false
  let isGoingRound = false

  function occupy(account: string, places: number): void {
    taken += places
    const own = (atWork.get(account) ?? 0) + places
    if (own === 0) atWork.delete(account)
    else atWork.set(account, own)
  }

  const isWithinOwn = (account: string, places: number) => (atWork.get(account) ?? 0) + places <= PLACES_OF_ACCOUNT

  /** No more accounts than there are places are passed over. Nobody is: who needs many places would wait for ever. */
  function next(): [string, Waiting[]] | undefined {
    for (const [account, line] of lines) {
      if (!isWithinOwn(account, line[0]!.places)) continue
      return taken + line[0]!.places <= PLACES ? [account, line] : undefined
    }
    return undefined
  }

  function beginNext(): void {
    const found = next()
    if (found === undefined) return
    const [account, line] = found
    const { places, begin } = line.shift()!
    lines.delete(account)
    if (line.length > 0) lines.set(account, line)
    occupy(account, places)
    hasBegun = true
    begin()
    goRound()
  }

  function goRound(): void {
    if (isGoingRound) return
    isGoingRound = true
    setImmediate(() => {
      isGoingRound = false
      hasBegun = false
      beginNext()
    })
  }

  function giveBack(account: string, places: number): void {
    occupy(account, -places)
    if (lines.size > 0) goRound()
  }

  return {
    take(account, places) {
      const line = lines.get(account) ?? []
      if (line.length >= BOUNDS.waitingRequests) return Promise.reject(tooManyWait())
      return new Promise(resolve => {
        line.push({ places, begin: () => resolve(() => giveBack(account, places)) })
        lines.set(account, line)
        if (hasBegun) goRound()
        else beginNext()
      })
    },
  }
}

const tooManyWait = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `at most ${BOUNDS.waitingRequests} requests of an account may wait to be answered; ask for less at once`,
    TRY_AGAIN_MS,
  )
