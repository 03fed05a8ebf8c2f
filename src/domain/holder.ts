/** Of a lease's time: how often its holder says that it lives, and how long nobody can have judged it dead since. */
const BEATS = 5
const FRESH = 0.5
const LEAST_BEAT_MS = 50

/** Beats that a holder misses before it counts as dead; below `BEATS`, so that a successor is found within the time. */
const MISSED = 4

/** A round that comes sooner than this part of a beat after the last one is no new look. */
const A_ROUND = 0.8

export const beatMs = (leaseTtlMs: number): number => Math.max(LEAST_BEAT_MS, leaseTtlMs / BEATS)

/** How long after its last beat a holder may be certain that nobody has taken what it holds. */
export const freshMs = (leaseTtlMs: number): number => leaseTtlMs * FRESH

/** A holder as others see it: as long as it lives, its beat moves. */
export interface Beat {
  id: string
  beat: number
}

/**
 * Who of the others is dead: a holder whose beat stood still over several of our own rounds in a row that the database
 * answered. No clock but our own is asked, and a database that was away makes nobody look dead.
 */
export class LeaseOwnerWatch {
  readonly #roundMs: number
  #seen = new Map<string, { beat: number; missed: number }>()
  #countedAtMs = Number.NEGATIVE_INFINITY

  constructor(leaseTtlMs: number) {
    this.#roundMs = beatMs(leaseTtlMs) * A_ROUND
  }

  /** The database has answered, at this time by our own clock; answers who is dead by now. */
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

  /** It has not: whoever did not move could not. */
  unanswered(): void {
    this.#seen.clear()
  }
}
