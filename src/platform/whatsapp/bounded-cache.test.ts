import { expect, test } from 'vitest'
import { createBoundedCache } from './bounded-cache.ts'

test('a cache holds what was used last and no more: a thousand groups leave two hundred', () => {
  const cache = createBoundedCache<number>(200)
  cache.set('used', -1)
  for (let n = 0; n < 1_000; n++) {
    cache.set(`group ${n}`, n)
    expect(cache.get('used')).toBe(-1)
  }
  const kept = Array.from({ length: 1_000 }, (_, n) => n).filter(n => cache.get(`group ${n}`) !== undefined)
  expect(kept).toEqual(Array.from({ length: 199 }, (_, n) => 801 + n))
})
