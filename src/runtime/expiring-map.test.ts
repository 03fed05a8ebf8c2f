import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ExpiringMap } from './expiring-map.ts'

/** A clock that stands still until it is moved. */
function stopped() {
  let nowMs = 1_000
  return { clock: { monotonicMs: () => nowMs }, pass: (ms: number) => void (nowMs += ms) }
}

it('keeps at least half of its maximum, and never more than the maximum', () => {
  const map = new ExpiringMap<number>(10)
  for (let i = 0; i < 1_000; i++) map.set(`k${i}`, i)
  const kept = Array.from({ length: 1_000 }, (_, i) => map.get(`k${i}`)).filter(value => value !== undefined)
  expect(kept.length).toBeGreaterThanOrEqual(5)
  expect(kept.length).toBeLessThanOrEqual(10)
  expect(kept.at(-1)).toBe(999)
})

it('an entry that is used again and again is not evicted by many new ones', () => {
  const map = new ExpiringMap<string>(10)
  for (let i = 0; i < 1_000; i++) {
    map.set('regular', 'known')
    for (let j = 0; j < 3; j++) map.set(`stranger ${i} ${j}`, '')
    expect(map.get('regular')).toBe('known')
  }
})

it.each([
  { waitedMs: 0, found: 'a' },
  { waitedMs: 499, found: 'a' },
  { waitedMs: 500, found: undefined },
  { waitedMs: 5_000, found: undefined },
])('with an age of 500 ms, get returns $found after $waitedMs ms', ({ waitedMs, found }) => {
  const { clock, pass } = stopped()
  const map = new ExpiringMap<string>(10, { ms: 500, clock })
  map.set('key', 'a')
  pass(waitedMs)
  expect(map.get('key')).toBe(found)
})

it('setting an entry again restarts its age, also across generations', () => {
  const { clock, pass } = stopped()
  const map = new ExpiringMap<string>(4, { ms: 500, clock })
  map.set('key', 'a')
  pass(400)
  map.set('key', 'b')
  pass(400)
  map.set('other', 'c')
  expect(map.get('key')).toBe('b')
  pass(100)
  expect(map.get('key')).toBeUndefined()
  expect(map.get('other')).toBe('c')
})

it('expired entries are dropped, not only hidden', () => {
  const { clock, pass } = stopped()
  const map = new ExpiringMap<object>(10, { ms: 500, clock })
  map.set('key', {})
  pass(500)
  map.dropExpired()
  pass(500)
  map.dropExpired()
  // A clock that runs back shows what is really there.
  pass(-1_000)
  expect(map.get('key')).toBeUndefined()
})

it('deletes one entry, and all', () => {
  const map = new ExpiringMap<number>(4)
  for (const key of ['a', 'b', 'c']) map.set(key, 1)
  map.delete('a')
  expect(map.get('a')).toBeUndefined()
  map.clear()
  expect([map.get('b'), map.get('c')]).toEqual([undefined, undefined])
})

it('a cache keeps the most recently used entries: two hundred of a thousand', () => {
  const cache = new ExpiringMap<number>(200)
  cache.set('used', -1)
  for (let n = 0; n < 1_000; n++) {
    cache.set(`group ${n}`, n)
    expect(cache.get('used')).toBe(-1)
  }
  const kept = Array.from({ length: 1_000 }, (_, n) => n).filter(n => cache.get(`group ${n}`) !== undefined)
  expect(kept).toEqual(Array.from({ length: 199 }, (_, n) => 801 + n))
})

it('after any operations it has the entries of a list in order of use', () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const step = fc.oneof(
    fc.record({ kind: fc.constant('get' as const), key: keys }),
    fc.record({ kind: fc.constant('set' as const), key: keys, value: fc.nat() }),
    fc.record({ kind: fc.constant('delete' as const), key: keys }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const map = new ExpiringMap<number>(3)
      let list: Array<[string, number]> = []
      for (const each of steps) {
        const known = list.find(([key]) => key === each.key)
        const others = list.filter(([key]) => key !== each.key)
        if (each.kind === 'get') {
          expect(map.get(each.key)).toBe(known?.[1])
          if (known) list = [...others, known]
        } else if (each.kind === 'set') {
          map.set(each.key, each.value)
          list = [...others, [each.key, each.value] as [string, number]].slice(-3)
        } else {
          map.delete(each.key)
          list = others
        }
      }
    }),
  )
})
