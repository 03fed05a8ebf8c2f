/** How long something is believed, and whose time counts. */
export interface Age {
  ms: number
  clock: { monotonicMs(): number }
}

interface Entry<T> {
  value: T
  setAtMs: number
}

/**
 * Remembers whoever was last seen, `max` of them at most and, where an age is given, no longer than that. It forgets by
 * halves: for their number only those go after whom half as many others were seen. Every operation is short, also where
 * all the others are new.
 */
export class RecentMap<T> {
  readonly #half: number
  readonly #age: Age | undefined
  #young = new Map<string, Entry<T>>()
  #old = new Map<string, Entry<T>>()
  #turnedAtMs = 0

  constructor(max: number, age?: Age) {
    this.#half = Math.max(1, Math.floor(max / 2))
    this.#age = age
  }

  get(key: string): T | undefined {
    const entry = this.#young.get(key) ?? this.#old.get(key)
    if (entry === undefined || this.#isPast(entry.setAtMs)) return undefined
    return entry.value
  }

  set(key: string, value: T): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) this.#turn()
    else this.forgetPast()
    this.#young.set(key, { value, setAtMs: this.#nowMs() })
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }

  /** Lets go of what nobody may believe any more; where something is set now and then it happens by itself. */
  forgetPast(): void {
    // Whatever is in the old half was set before the last turn.
    if (this.#isPast(this.#turnedAtMs)) this.#turn()
  }

  #turn(): void {
    this.#old = this.#young
    this.#young = new Map()
    this.#turnedAtMs = this.#nowMs()
  }

  #isPast(ms: number): boolean {
    return this.#age !== undefined && this.#age.clock.monotonicMs() - ms >= this.#age.ms
  }

  #nowMs(): number {
    return this.#age?.clock.monotonicMs() ?? 0
  }
}
