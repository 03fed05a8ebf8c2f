import { lookUp } from './look-up.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const midnight = (now: Date, daysAgo: number): number =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime()

/** Relative times of a filter. The URL contains their names, so that a shared link stays relative. */
const MOVING: Record<string, (now: Date) => number> = {
  '15m': now => now.getTime() - 15 * MINUTE_MS,
  '1h': now => now.getTime() - HOUR_MS,
  '24h': now => now.getTime() - 24 * HOUR_MS,
  today: now => midnight(now, 0),
  yesterday: now => midnight(now, 1),
  '7d': now => now.getTime() - 7 * 24 * HOUR_MS,
}

export const isMoving = (moment: string): boolean => lookUp(MOVING, moment) !== undefined

/** The time of a filter: a relative time as of now, or one that a person entered. Anything else is no bound. */
export function momentOf(moment: string | undefined, now = new Date()): number | undefined {
  if (moment === undefined) return undefined
  const at = lookUp(MOVING, moment)?.(now) ?? Date.parse(moment)
  return Number.isNaN(at) ? undefined : at
}

/** The same in the form of the API. */
export function isoMoment(moment: string | undefined): string | undefined {
  const at = momentOf(moment)
  return at === undefined ? undefined : new Date(at).toISOString()
}

/** Whether `at` is between the two; an open end is no bound. */
export function isBetween(at: string, since: string | undefined, until: string | undefined): boolean {
  const ms = Date.parse(at)
  return (momentOf(since) ?? -Infinity) <= ms && ms < (momentOf(until) ?? Infinity)
}
