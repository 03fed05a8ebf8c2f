/** How often an owner sends a heartbeat within the time of a lease. */
const HEARTBEATS = 5
const MIN_HEARTBEAT_MS = 50

/** For this share of a lease's time after a heartbeat, no other node can count its owner as dead. */
const FRESH_SHARE = 0.5

/** An owner that misses this many counts as dead; below `HEARTBEATS`, so that it has a successor within the lease time. */
const MAX_MISSED = 4

/** A round counts only if this share of a heartbeat's interval has passed since the last one. */
const MIN_ROUND_SHARE = 0.8

export const heartbeatMs = (leaseTtlMs: number): number => Math.max(MIN_HEARTBEAT_MS, leaseTtlMs / HEARTBEATS)

/** For how long after its last heartbeat an owner can be certain that no other node has taken its leases. */
export const leaseFreshMs = (leaseTtlMs: number): number => leaseTtlMs * FRESH_SHARE

/** A lease owner as other nodes see it: its heartbeat counter grows as long as it lives. */
export interface LeaseHeartbeat {
  id: string
  beat: number
}

/**
 * Finds dead lease owners: those whose heartbeat did not move over several consecutive rounds that the database answered.
 * It uses only this process's clock, and a database outage makes no owner look dead.
 */
export class LeaseOwnerWatch {
  readonly #roundMs: number
  #seen = new Map<string, { beat: number; missed: number }>()
  #countedAtMs = Number.NEGATIVE_INFINITY

  constructor(leaseTtlMs: number) {
    this.#roundMs = heartbeatMs(leaseTtlMs) * MIN_ROUND_SHARE
  }

  /** The database has answered at this time of our own clock; returns the owners that are dead by now. */
  answered<B extends LeaseHeartbeat>(others: B[], atMs: number): B[] {
    if (atMs - this.#countedAtMs < this.#roundMs) return []
    this.#countedAtMs = atMs
    const before = this.#seen
    this.#seen = new Map(
      others.map(({ id, beat }) => {
        const seen = before.get(id)
        return [id, { beat, missed: seen?.beat === beat ? seen.missed + 1 : 0 }]
      }),
    )
    return others.filter(({ id }) => this.#seen.get(id)!.missed >= MAX_MISSED)
  }

  /** The database has not answered, so no owner could send a heartbeat. */
  unanswered(): void {
    this.#seen.clear()
  }
}
