import { backoffMs } from '../../../runtime/exponential-backoff.ts'
import type { LinkChange } from '../../platform.ts'
import type { Ending } from './ending.ts'

/** Waits in milliseconds: the first one doubles with every failure in a row, up to the last. */
export interface Backoff {
  lost: readonly [first: number, last: number]
  replaced: readonly [first: number, last: number]
  busy?: readonly [first: number, last: number]
  /** Only a link that was open for so long has come back for good. */
  steadyMs?: number
}

/** What follows on the end of a connection: a login at once, one after a while, or nothing any more. */
export type Next = { kind: 'again' } | { kind: 'wait'; change: LinkChange } | { kind: 'over'; change: LinkChange }

// A platform that asks for logins on and on is in trouble like any other.
const MAX_RESTARTS = 5
const FOR_EVER_MS = 2 ** 31 - 1
const BUSY = [60_000, 900_000] as const
export const STEADY_MS = 60_000

export function afterEnding(ending: Ending, restarts: number): Next {
  const { kind, reason } = ending
  if (kind === 'restart') {
    if (restarts < MAX_RESTARTS) return { kind: 'again' }
    return { kind: 'wait', change: { state: 'closed', kind: 'lost', reason } }
  }
  if (kind === 'logged_out') return { kind: 'over', change: { state: 'logged_out', reason } }
  const until = kind === 'paused' && { untilMs: ending.untilMs }
  return { kind: 'wait', change: { state: 'closed', kind, reason, ...until } }
}

/** `chance` is from 0 to 1: numbers that lost their links together do not come back together. */
export function waitAfter(kind: Ending['kind'], failures: number, backoff: Backoff, chance: number): number {
  // Nothing changes by itself after a refusal: only a new session, which a restart opens, is tried again.
  if (kind === 'refused') return FOR_EVER_MS
  const { lost, replaced, busy = BUSY } = backoff
  const [first, last] = kind === 'replaced' ? replaced : kind === 'busy' ? busy : lost
  return backoffMs(first, last, failures) * (0.5 + chance / 2)
}
