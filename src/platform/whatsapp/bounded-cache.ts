/** A map that forgets what was not used for the longest time, and what is too old. */
export interface BoundedCache<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
  delete(key: string): void
  clear(): void
}

export function createBoundedCache<T>(limit: number, ttlMs = Number.POSITIVE_INFINITY): BoundedCache<T> {
  const entries = new Map<string, { value: T; until: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      if (entry.until < Date.now()) return undefined
      entries.set(key, entry)
      return entry.value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, { value, until: Date.now() + ttlMs })
      if (entries.size > limit) entries.delete(entries.keys().next().value!)
    },
    delete: key => void entries.delete(key),
    clear: () => entries.clear(),
  }
}

/** The same in the shape that the library asks for; it has no timers, so hundreds of sessions cost nothing. */
export function createLibraryCache(limit: number, ttlMs: number) {
  const cache = createBoundedCache<unknown>(limit, ttlMs)
  return {
    get: <T>(key: string) => cache.get(key) as T | undefined,
    set: <T>(key: string, value: T) => cache.set(key, value),
    del: (key: string) => cache.delete(key),
    flushAll: () => cache.clear(),
  }
}
