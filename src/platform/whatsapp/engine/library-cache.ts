import { type Age, ExpiringMap } from '../../../runtime/expiring-map.ts'

/** A cache with the interface that the library expects; it has no timers, so it is cheap for hundreds of sessions. */
export function createLibraryCache(max: number, age: Age) {
  const cache = new ExpiringMap<unknown>(max, age)
  return {
    get: <T>(key: string) => cache.get(key) as T | undefined,
    set: <T>(key: string, value: T) => cache.set(key, value),
    del: (key: string) => cache.delete(key),
    flushAll: () => cache.clear(),
  }
}
