import { backoffMs } from '../../../runtime/exponential-backoff.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export interface LastAsk {
  /** A source has named a version. */
  isAnswered: boolean
  /** The one in use is refused by the platform, or will be. */
  isNewerWanted: boolean
  /** How often in a row it brought not what was wanted. */
  failures: number
}

/** How long until the sources are asked again; `chance` is from 0 to 1, so that nodes do not ask together. */
export function nextAskMs({ isAnswered, isNewerWanted, failures }: LastAsk, chance: number): number {
  const isWell = isAnswered && !isNewerWanted
  const waitMs = isWell ? DAY_MS : backoffMs(MINUTE_MS, HOUR_MS, failures)
  return waitMs * (0.75 + chance / 4)
}
