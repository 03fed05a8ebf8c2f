/** What fails so often is given up. */
export const MAX_TRIES = 3
const RETRY_AFTER_MS = [500, 2_000]
const STORE_AGAIN_MS = 1_000

/** What an item's past asks for before it is interpreted. A try that may kill the host is counted before it is made. */
export function beforeTry(tries: number, isInherited: boolean): 'give_up' | 'count' | 'try' {
  if (tries >= MAX_TRIES) return 'give_up'
  return tries > 0 || isInherited ? 'count' : 'try'
}

/** Why an item was not forwarded: an end that has nothing to do with the item is no try of it. */
export type Unforwarded = 'lost' | 'stopped' | 'store_away' | 'failed'

export type AfterTry =
  | { next: 'leave'; uncount: boolean }
  | { next: 'again'; uncount: boolean; tries: number; waitMs: number }

export function afterTry(why: Unforwarded, tries: number): AfterTry {
  switch (why) {
    case 'lost':
      return { next: 'leave', uncount: false }
    case 'stopped':
      return { next: 'leave', uncount: true }
    case 'store_away':
      return { next: 'again', uncount: true, tries, waitMs: waitAfter(tries) }
    case 'failed':
      return { next: 'again', uncount: false, tries: tries + 1, waitMs: waitAfter(tries + 1) }
    default: {
      const never: never = why
      return never
    }
  }
}

const waitAfter = (tries: number): number => RETRY_AFTER_MS[tries - 1] ?? STORE_AGAIN_MS
