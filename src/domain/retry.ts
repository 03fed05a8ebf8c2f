/** What follows an attempt. */
export type AfterAttempt =
  | { readonly next: 'delivered' }
  | { readonly next: 'retry'; readonly delayMs: number }
  | { readonly next: 'dead' }

export interface AttemptEnded {
  /** 1 for the original. */
  readonly attempt: number
  readonly delivered: boolean
  /** The delays before attempts 2, 3, 4 (specification, Delivery behaviour). */
  readonly delaysMs: readonly number[]
  /** A number from 0 up to but not including 1. */
  readonly random: () => number
}

const MAX_JITTER = 0.1

const PROBE_MS = 5_000
/** A minute, unless the schedule has shorter delays. */
const LONGEST_PROBE = 12

/**
 * The pause between the probes of an endpoint that fails: five seconds for the first ten minutes, then longer, up to a
 * minute. It is not longer than the first delay of the schedule at first.
 */
export function probeDelayMs(failingForMs: number, delaysMs: readonly number[]): number {
  const first = Math.min(PROBE_MS, delaysMs[0] ?? PROBE_MS)
  return Math.min(LONGEST_PROBE * first, Math.max(first, Math.floor(failingForMs / 120)))
}

/** Delays are never shorter than the schedule; jitter is only added, so that many failures do not return at once. */
export function afterAttempt({ attempt, delivered, delaysMs, random }: AttemptEnded): AfterAttempt {
  if (delivered) return { next: 'delivered' }
  const waitMs = delaysMs[attempt - 1]
  if (waitMs === undefined) return { next: 'dead' }
  return { next: 'retry', delayMs: waitMs + Math.floor(waitMs * MAX_JITTER * random()) }
}
