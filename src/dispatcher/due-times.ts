/** When lanes have to be read again, in ticks: one entry for each lane and tick, for any number of deliveries. */
export class DueTimes {
  readonly #tickMs: number
  readonly #ticks = new Map<number, Set<string>>()
  #nextTick = 0

  constructor(tickMs: number) {
    this.#tickMs = tickMs
  }

  /** Returns when the lane is read. */
  note(dueAt: number, lane: string): number {
    const tick = Math.max(Math.ceil(dueAt / this.#tickMs), this.#nextTick)
    const lanes = this.#ticks.get(tick)
    if (lanes === undefined) this.#ticks.set(tick, new Set([lane]))
    else lanes.add(lane)
    return tick * this.#tickMs
  }

  /** Removes and returns the lanes that are due. */
  take(nowMs: number): string[] {
    const last = Math.floor(nowMs / this.#tickMs)
    const due = new Set<string>()
    for (const tick of this.#passed(last)) {
      for (const lane of this.#ticks.get(tick) ?? []) due.add(lane)
      this.#ticks.delete(tick)
    }
    this.#nextTick = Math.max(this.#nextTick, last + 1)
    return [...due]
  }

  /** How long nothing becomes due, up to `mostMs`. */
  idleMs(nowMs: number, mostMs: number): number {
    for (const tick of range(this.#nextTick, Math.floor((nowMs + mostMs) / this.#tickMs))) {
      if (this.#ticks.has(tick)) return Math.max(0, tick * this.#tickMs - nowMs)
    }
    return mostMs
  }

  /** After a long pause there are fewer entries than passed ticks. */
  #passed(last: number): Iterable<number> {
    if (last - this.#nextTick < this.#ticks.size) return range(this.#nextTick, last)
    return [...this.#ticks.keys()].filter(tick => tick <= last)
  }
}

function* range(first: number, last: number): Generator<number> {
  for (let n = first; n <= last; n++) yield n
}
