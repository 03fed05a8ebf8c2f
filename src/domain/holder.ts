/** As parts of a lease's time: how often its owner sends a heartbeat, and how long no other node can count it as dead after one. */
const BEATS = 5
const FRESH = 0.5
const LEAST_BEAT_MS = 50

/** Missed heartbeats after which an owner counts as dead; below `BEATS`, so that a successor is found within the lease time. */
const MISSED = 4

/** A round that comes sooner than this part of a heartbeat after the last one does not count. */
const A_ROUND = 0.8

export const beatMs = (leaseTtlMs: number): number => Math.max(LEAST_BEAT_MS, leaseTtlMs / BEATS)

/** How long after its last heartbeat an owner can be certain that no other node has taken its leases. */
export const freshMs = (leaseTtlMs: number): number => leaseTtlMs * FRESH

/** A lease owner as other nodes see it: its heartbeat counter grows as long as it lives. */
export interface Beat {
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
    this.#roundMs = beatMs(leaseTtlMs) * A_ROUND
  }

  /** The database has answered at this time of our own clock; returns the owners that are dead by now. */
  answered<B extends Beat>(others: B[], atMs: number): B[] {
    if (atMs - this.#countedAtMs < this.#roundMs) return []
    this.#countedAtMs = atMs
    const before = this.#seen
    this.#seen = new Map(
      others.map(({ id, beat }) => {
        const seen = before.get(id)
        return [id, { beat, missed: seen?.beat === beat ? seen.missed + 1 : 0 }]
      }),
    )
    return others.filter(({ id }) => this.#seen.get(id)!.missed >= MISSED)
  }

  /** The database has not answered, so no owner could send a heartbeat. */
  unanswered(): void {
    this.#seen.clear()
  }
}
