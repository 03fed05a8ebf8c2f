import { type Age, ExpiringMap } from './expiring-map.ts'

/**
 * Caches values for a short time. Parallel calls for the same key share one load; a value that is invalidated during its
 * load is not cached, and later calls load it again.
 */
export class AsyncCache<T> {
  readonly #known: ExpiringMap<{ value: T }>
  readonly #underWay = new Map<string, Promise<T>>()

  constructor(max: number, age: Age) {
    this.#known = new ExpiringMap(max, age)
  }

  async get(key: string, look: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key)
    return known === undefined ? await (this.#underWay.get(key) ?? this.#look(key, look)) : known.value
  }

  forget(key: string): void {
    this.#known.delete(key)
    this.#underWay.delete(key)
  }

  #look(key: string, look: () => Promise<T>): Promise<T> {
    const looking = this.#lookAndKeep(key, look, () => this.#underWay.get(key) === looking)
    this.#underWay.set(key, looking)
    return looking
  }

  async #lookAndKeep(key: string, look: () => Promise<T>, isWanted: () => boolean): Promise<T> {
    try {
      const value = await look()
      if (isWanted()) this.#known.set(key, { value })
      return value
    } finally {
      if (isWanted()) this.#underWay.delete(key)
    }
  }
}
