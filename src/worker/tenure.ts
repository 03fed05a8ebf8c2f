import { type Lease, sessionIdOf } from '../domain/lease.ts'

/** A write was refused because somebody else owns the session by now, or ours has run out. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'

  constructor() {
    super('the lease of this session was lost')
  }
}

/**
 * The right to act for a session: a lease, and how long it lasts by a clock of our own. A process that was stopped and
 * wakes up late finds it over before it has asked anybody.
 */
export interface Tenure {
  readonly lease: Lease
  readonly sessionId: string
  holds(): boolean
  /** Throws LeaseLost unless it holds. */
  require(): void
  extend(untilMs: number): void
  end(): void
}

export function createTenure(lease: Lease, untilMs: number, monotonicMs: () => number): Tenure {
  let deadlineMs = untilMs
  const holds = (): boolean => monotonicMs() < deadlineMs
  return {
    lease,
    sessionId: sessionIdOf(lease),
    holds,
    require: () => {
      if (!holds()) throw new LeaseLost()
    },
    extend: until => {
      if (holds()) deadlineMs = until
    },
    end: () => {
      deadlineMs = Number.NEGATIVE_INFINITY
    },
  }
}
