/** How long an entry is valid, and by which clock. */
export interface Age {
  ms: number
  clock: { monotonicMs(): number }
}

interface Entry<T> {
  readonly key: string
  value: T
  setAtMs: number
  older: Entry<T> | undefined
  newer: Entry<T> | undefined
}

/**
 * A map of the most recently used entries, at most `max` of them, and each no older than `age` if that is given. Every
 * operation is short, even if all keys are new.
 */
export class ExpiringMap<T> {
  readonly #max: number
  readonly #age: Age | undefined
  readonly #entries = new Map<string, Entry<T>>()
  #oldest: Entry<T> | undefined
  #newest: Entry<T> | undefined

  constructor(max: number, age?: Age) {
    this.#max = Math.max(1, max)
    this.#age = age
  }

  /** Counts as a use. */
  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#isExpired(entry)) {
      this.#remove(entry)
      return undefined
    }
    this.#use(entry)
    return entry.value
  }

  set(key: string, value: T): void {
    const known = this.#entries.get(key)
    if (known === undefined) this.#add(key, value)
    else {
      known.value = value
      known.setAtMs = this.#nowMs()
      this.#use(known)
    }
    this.dropExpired()
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#remove(entry)
  }

  clear(): void {
    this.#entries.clear()
    this.#oldest = undefined
    this.#newest = undefined
  }

  /** Drops expired entries; `set` does so too. */
  dropExpired(): void {
    while (this.#oldest !== undefined && this.#isExpired(this.#oldest)) this.#remove(this.#oldest)
  }

  #add(key: string, value: T): void {
    if (this.#entries.size >= this.#max && this.#oldest !== undefined) this.#remove(this.#oldest)
    const entry: Entry<T> = { key, value, setAtMs: this.#nowMs(), older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#append(entry)
  }

  #use(entry: Entry<T>): void {
    if (entry === this.#newest) return
    this.#unlink(entry)
    this.#append(entry)
  }

  #remove(entry: Entry<T>): void {
    this.#entries.delete(entry.key)
    this.#unlink(entry)
  }

  #append(entry: Entry<T>): void {
    entry.older = this.#newest
    entry.newer = undefined
    if (this.#newest === undefined) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink({ older, newer }: Entry<T>): void {
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
  }

  #isExpired({ setAtMs }: Entry<T>): boolean {
    return this.#age !== undefined && this.#age.clock.monotonicMs() - setAtMs >= this.#age.ms
  }

  #nowMs(): number {
    return this.#age?.clock.monotonicMs() ?? 0
  }
}
