import { backoffMs } from '../../../runtime/exponential-backoff.ts'
import type { LinkChange } from '../../platform.ts'
import type { Ending } from './ending.ts'

/** Delays in milliseconds: the first doubles with every consecutive failure, up to the last. */
export interface Backoff {
  lost: readonly [first: number, last: number]
  replaced: readonly [first: number, last: number]
  busy?: readonly [first: number, last: number]
  /** A link that was open for this long resets the count of failures. */
  steadyMs?: number
}

/** What follows the end of a connection: an immediate login, a login after a delay, or none. */
export type Next = { kind: 'again' } | { kind: 'wait'; change: LinkChange } | { kind: 'over'; change: LinkChange }

// After this many requests for a new login the backoff applies.
const MAX_RESTARTS = 5
const FOREVER_MS = 2 ** 31 - 1
const BUSY = [60_000, 900_000] as const
export const STEADY_MS = 60_000

export function afterEnding(ending: Ending, restarts: number): Next {
  const { kind, reason } = ending
  if (kind === 'restart') {
    if (restarts < MAX_RESTARTS) return { kind: 'again' }
    return { kind: 'wait', change: { state: 'closed', kind: 'lost', reason } }
  }
  const ban = 'isBan' in ending && { isBan: true as const }
  if (kind === 'logged_out') return { kind: 'over', change: { state: 'logged_out', reason, ...ban } }
  const until = kind === 'paused' && { untilMs: ending.untilMs, ...ban }
  return { kind: 'wait', change: { state: 'closed', kind, reason, ...until } }
}

/** `jitter` is from 0 to 1: numbers that lost their links together do not reconnect together. */
export function waitAfter(kind: Ending['kind'], failures: number, backoff: Backoff, jitter: number): number {
  // A retry after a rejection does not help; only a restart opens the session again.
  if (kind === 'refused') return FOREVER_MS
  const { lost, replaced, busy = BUSY } = backoff
  const [first, last] = kind === 'replaced' ? replaced : kind === 'busy' ? busy : lost
  return backoffMs(first, last, failures) * (0.5 + jitter / 2)
}
