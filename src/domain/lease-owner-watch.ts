/** How often an owner sends a heartbeat within the time of a lease. */
const HEARTBEATS = 5
const MIN_HEARTBEAT_MS = 50

/** For this share of a lease's time after a heartbeat, no other node can count its owner as dead. */
const FRESH_SHARE = 0.5

/** An owner that misses this many counts as dead; below `HEARTBEATS`, so that it has a successor within the lease time. */
const MAX_MISSED = 4

/** A round counts only if this share of a heartbeat's interval has passed since the last one. */
const MIN_ROUND_SHARE = 0.8

/** How many times longer the leases of an owner last while it is the only one that there can be. */
const ALONE = 3

/** A heartbeat that is this share of its interval late is missing. */
const LATE_SHARE = 0.25

export const heartbeatMs = (leaseTtlMs: number): number => Math.max(MIN_HEARTBEAT_MS, leaseTtlMs / HEARTBEATS)

/** For how long after its last heartbeat an owner can be certain that no other node has taken its leases. */
export const leaseFreshMs = (leaseTtlMs: number): number => leaseTtlMs * FRESH_SHARE

/**
 * How long the leases of an owner last while it is alone, in a process that no other one can join. `outageMs` after its last
 * heartbeat it gives them up itself.
 */
export const aloneLeaseMs = ({ leaseTtlMs, outageMs }: { leaseTtlMs: number; outageMs: number }): number =>
  Math.max(leaseTtlMs, Math.min(leaseTtlMs * ALONE, outageMs))

/** For how long after its last heartbeat an owner has no reason to think that the database does not answer. */
export const heardMs = (leaseTtlMs: number, leaseMs: number): number =>
  Math.max(leaseFreshMs(leaseTtlMs), heartbeatMs(leaseMs) * (1 + LATE_SHARE))

/** A lease owner as other nodes see it: its heartbeat counter grows as long as it lives. */
export interface LeaseHeartbeat {
  id: string
  beat: number
  /** How long its leases last after a heartbeat, by its own word; otherwise as long as those of the owner that judges. */
  leaseMs?: number | null
}

/**
 * Finds dead lease owners: those whose heartbeat did not move over several consecutive rounds that the database answered.
 * It uses only this process's clock, and a database outage makes no owner look dead. It also says how long the leases of
 * this owner last: longer if no other process can join, as long as no other owner has.
 */
export class LeaseOwnerWatch {
  readonly #leaseTtlMs: number
  readonly #aloneMs: number
  #isAlone = false
  #seen = new Map<string, { beat: number; missed: number }>()
  #countedAtMs = Number.NEGATIVE_INFINITY

  /** `aloneMs`: how long its leases last while there is no other owner. */
  constructor(leaseTtlMs: number, aloneMs = leaseTtlMs) {
    this.#leaseTtlMs = leaseTtlMs
    this.#aloneMs = aloneMs
  }

  /** What the next heartbeat of this owner promises. */
  get leaseMs(): number {
    return this.#isAlone ? this.#aloneMs : this.#leaseTtlMs
  }

  /** The database has answered at this time of our own clock; returns the owners that are dead by now. */
  answered<B extends LeaseHeartbeat>(others: B[], atMs: number): B[] {
    this.#isAlone = others.length === 0
    const roundMs = heartbeatMs(this.#leaseTtlMs)
    if (atMs - this.#countedAtMs < roundMs * MIN_ROUND_SHARE) return []
    this.#countedAtMs = atMs
    const before = this.#seen
    this.#seen = new Map(
      others.map(({ id, beat }) => {
        const seen = before.get(id)
        return [id, { beat, missed: seen?.beat === beat ? seen.missed + 1 : 0 }]
      }),
    )
    return others.filter(
      ({ id, leaseMs }) =>
        this.#seen.get(id)!.missed * roundMs >= MAX_MISSED * heartbeatMs(leaseMs ?? this.#leaseTtlMs),
    )
  }

  /** The database has not answered, so no owner could send a heartbeat. */
  unanswered(): void {
    this.#seen.clear()
  }
}
