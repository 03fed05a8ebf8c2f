import { expect, it } from 'vitest'
import { RecentMap } from './recent-map.ts'

/** A clock that stands still until it is moved. */
function stopped() {
  let nowMs = 1_000
  return { clock: { monotonicMs: () => nowMs }, pass: (ms: number) => void (nowMs += ms) }
}

it('remembers at least half as many as it may, and never more', () => {
  const map = new RecentMap<number>(10)
  for (let i = 0; i < 1_000; i++) map.set(`k${i}`, i)
  const kept = Array.from({ length: 1_000 }, (_, i) => map.get(`k${i}`)).filter(value => value !== undefined)
  expect(kept.length).toBeGreaterThanOrEqual(5)
  expect(kept.length).toBeLessThanOrEqual(10)
  expect(kept.at(-1)).toBe(999)
})

it('no crowd makes it forget somebody who goes on coming', () => {
  const map = new RecentMap<string>(10)
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
])('with an age of 500 ms, $waitedMs ms later it answers $found', ({ waitedMs, found }) => {
  const { clock, pass } = stopped()
  const map = new RecentMap<string>(10, { ms: 500, clock })
  map.set('key', 'a')
  pass(waitedMs)
  expect(map.get('key')).toBe(found)
})

it('setting again begins the age anew, also across a turn', () => {
  const { clock, pass } = stopped()
  const map = new RecentMap<string>(4, { ms: 500, clock })
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

it('what is past is let go of, not only hidden', () => {
  const { clock, pass } = stopped()
  const map = new RecentMap<object>(10, { ms: 500, clock })
  map.set('key', {})
  pass(500)
  map.forgetPast()
  pass(500)
  map.forgetPast()
  // A clock that runs back shows what is really there.
  pass(-1_000)
  expect(map.get('key')).toBeUndefined()
})

it('forgets one, and all', () => {
  const map = new RecentMap<number>(4)
  for (const key of ['a', 'b', 'c']) map.set(key, 1)
  map.delete('a')
  expect(map.get('a')).toBeUndefined()
  map.clear()
  expect([map.get('b'), map.get('c')]).toEqual([undefined, undefined])
})
