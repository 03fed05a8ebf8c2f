import fc from 'fast-check'
import { expect, it } from 'vitest'
import { firstIdAt, makeId, makePlatformId } from './ids.ts'

it('ids have their prefix, then 26 characters', () => {
  expect(makeId('msg')).toMatch(/^msg_[0-9a-hjkmnp-tv-z]{26}$/)
  expect(makeId('wh')).toMatch(/^wh_[0-9a-hjkmnp-tv-z]{26}$/)
})

it('ids made one after the other sort in that order, also within a millisecond and when the clock goes back', () => {
  const now = Date.now()
  const ids = Array.from({ length: 10_000 }, (_, i) =>
    makeId('evt', i % 7 === 0 ? now - 5_000 : now + Math.floor(i / 100)),
  )
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(ids.length)
})

it('what is older than a time is a range of ids', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), ahead => {
      const at = Date.now() + 10_000_000_000 + ahead * 1_000
      expect(makeId('msg', at) > firstIdAt('msg', at)).toBe(true)
      expect(firstIdAt('msg', at) > firstIdAt('msg', at - 1)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

it('platform ids look like those of the platform’s own web client, and differ', () => {
  const ids = Array.from({ length: 1_000 }, makePlatformId)
  for (const id of ids) expect(id).toMatch(/^3EB0[0-9A-F]{18}$/)
  expect(new Set(ids).size).toBe(1_000)
})
