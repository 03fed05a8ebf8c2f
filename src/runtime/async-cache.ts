import { type Age, ExpiringMap } from './expiring-map.ts'

/**
 * Caches values for a short time. Parallel calls for the same key share one load; a value that is invalidated during its
 * load is not cached, and later calls load it again.
 */
export class AsyncCache<T> {
  readonly #cached: ExpiringMap<{ value: T }>
  readonly #loading = new Map<string, Promise<T>>()

  constructor(max: number, age: Age) {
    this.#cached = new ExpiringMap(max, age)
  }

  /** The cached value, without loading it. */
  peek(key: string): T | undefined {
    return this.#cached.get(key)?.value
  }

  async get(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.#cached.get(key)
    return cached === undefined ? await (this.#loading.get(key) ?? this.#load(key, load)) : cached.value
  }

  forget(key: string): void {
    this.#cached.delete(key)
    this.#loading.delete(key)
  }

  #load(key: string, load: () => Promise<T>): Promise<T> {
    const loading = this.#loadAndCache(key, load, () => this.#loading.get(key) === loading)
    this.#loading.set(key, loading)
    return loading
  }

  async #loadAndCache(key: string, load: () => Promise<T>, isCurrent: () => boolean): Promise<T> {
    try {
      const value = await load()
      if (isCurrent()) this.#cached.set(key, { value })
      return value
    } finally {
      if (isCurrent()) this.#loading.delete(key)
    }
  }
}
