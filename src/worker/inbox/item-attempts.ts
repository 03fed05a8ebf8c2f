/** An item that fails this often is abandoned. */
export const MAX_FAILURES = 3
/** How many hosts an item may kill while it is their only suspect. One more died before, while it processed several items. */
const MAX_DEATHS_ALONE = 3
const RETRY_AFTER_MS = [500, 2_000]
const STORE_RETRY_MS = 1_000

/** How often an item failed in this host, and how many hosts died while they processed it. */
export interface ItemHistory {
  failures: number
  deaths: number
}

/**
 * How to attempt an item. An inherited item is recorded as begun first, in case this host dies too. Once a host has died
 * while it processed the item, it is attempted alone: this host runs no other suspect at the same time, whose crash would
 * count against it.
 */
export function howToAttempt(
  { failures, deaths }: ItemHistory,
  isInherited: boolean,
): 'abandon' | 'alone' | 'record' | 'attempt' {
  if (failures >= MAX_FAILURES || deaths > MAX_DEATHS_ALONE) return 'abandon'
  if (deaths > 0) return 'alone'
  return isInherited ? 'record' : 'attempt'
}

/** Why an item was not processed; only `failed` is the item's own fault. */
export type AttemptError = 'lease_lost' | 'stopped' | 'store_unreachable' | 'failed'

export type AfterAttempt = { next: 'leave' } | { next: 'again'; failures: number; waitMs: number }

export function afterAttempt(why: AttemptError, failures: number): AfterAttempt {
  switch (why) {
    case 'lease_lost':
    case 'stopped':
      return { next: 'leave' }
    case 'store_unreachable':
      return { next: 'again', failures, waitMs: waitAfter(failures) }
    case 'failed':
      return { next: 'again', failures: failures + 1, waitMs: waitAfter(failures + 1) }
    default: {
      const never: never = why
      return never
    }
  }
}

const waitAfter = (failures: number): number => RETRY_AFTER_MS[failures - 1] ?? STORE_RETRY_MS
