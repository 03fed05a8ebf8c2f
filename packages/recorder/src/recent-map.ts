/** Keeps the `max` entries that were used last. */
export class RecentMap<T> {
  readonly #max: number
  readonly #entries = new Map<string, T>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts as a use. */
  get(key: string): T | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#max) this.#entries.delete(this.#entries.keys().next().value!)
    this.#entries.set(key, value)
  }
}
