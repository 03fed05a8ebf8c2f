/** What fails so often is given up. */
export const MAX_FAILURES = 3
/** Hosts that may die of an item before it is given up, after a first one that died with several in hand. */
const MAX_DEATHS_ALONE = 3
const RETRY_AFTER_MS = [500, 2_000]
const STORE_AGAIN_MS = 1_000

/** What is known of an item: how often it failed here, and how many hosts died while they had it in hand. */
export interface ItemPast {
  failures: number
  deaths: number
}

/**
 * How an item is tried. One that an earlier host may have died of is counted first, in case this one dies too. Where
 * that has happened, the next tries are made alone, one item of the process at a time: another item's deadly
 * interpretation is then not held against it, and three deaths in a row are no accident.
 */
export function howToTry({ failures, deaths }: ItemPast, isInherited: boolean): 'give_up' | 'alone' | 'count' | 'try' {
  if (failures >= MAX_FAILURES || deaths > MAX_DEATHS_ALONE) return 'give_up'
  if (deaths > 0) return 'alone'
  return isInherited ? 'count' : 'try'
}

/** Why an item was not forwarded: an end that has nothing to do with the item is no failure of it. */
export type Unforwarded = 'lost' | 'stopped' | 'store_away' | 'failed'

export type AfterTry = { next: 'leave' } | { next: 'again'; failures: number; waitMs: number }

export function afterTry(why: Unforwarded, failures: number): AfterTry {
  switch (why) {
    case 'lost':
    case 'stopped':
      return { next: 'leave' }
    case 'store_away':
      return { next: 'again', failures, waitMs: waitAfter(failures) }
    case 'failed':
      return { next: 'again', failures: failures + 1, waitMs: waitAfter(failures + 1) }
    default: {
      const never: never = why
      return never
    }
  }
}

const waitAfter = (failures: number): number => RETRY_AFTER_MS[failures - 1] ?? STORE_AGAIN_MS
