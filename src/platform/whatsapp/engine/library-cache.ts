import { type Age, ExpiringMap } from '../../../runtime/expiring-map.ts'

/** A cache in the shape that the library asks for; it has no timers, so hundreds of sessions cost nothing. */
export function createLibraryCache(max: number, age: Age) {
  const cache = new ExpiringMap<unknown>(max, age)
  return {
    get: <T>(key: string) => cache.get(key) as T | undefined,
    set: <T>(key: string, value: T) => cache.set(key, value),
    del: (key: string) => cache.delete(key),
    flushAll: () => cache.clear(),
  }
}
