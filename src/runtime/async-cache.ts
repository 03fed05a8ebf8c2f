import { type Age, ExpiringMap } from './expiring-map.ts'

/**
 * What was looked up a moment ago. Many who ask for the same at once are one look; what is forgotten while it is looked
 * up is not kept, and whoever asks after that looks anew.
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
