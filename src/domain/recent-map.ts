/**
 * Remembers whoever was last seen, `max` of them at most, and forgets by halves: only somebody is forgotten after whom
 * half as many others were seen. Every operation is short, also where all the others are new.
 */
export class RecentMap<T> {
  readonly #half: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()

  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2))
  }

  get(key: string): T | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: string, value: T): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
