import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Bucket, dayOf, monthOf, msToNextMonth, rateOf, take } from './token-bucket.ts'

it('a fresh bucket gives its burst and then one token for each interval', () => {
  const rate = rateOf(2, 3)
  let bucket: Bucket | undefined
  const tryAt = (now: number) => {
    const taken = take(bucket, rate, now)
    bucket = taken.bucket
    return taken.ok
  }
  expect([tryAt(0), tryAt(0), tryAt(0), tryAt(0), tryAt(499), tryAt(500), tryAt(500), tryAt(1_000)]).toEqual([
    true,
    true,
    true,
    false,
    false,
    true,
    false,
    true,
  ])
})

it('waiting out retryAfterMs always succeeds, and never takes longer than one token', () => {
  const rates = fc.record({
    perSecond: fc.double({ min: 0.001, max: 1_000, noNaN: true }),
    burst: fc.integer({ min: 1, max: 1_000 }),
  })
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 50 }), (rate, waits) => {
      let bucket: Bucket | undefined
      let now = 1_000_000
      for (const wait of waits) {
        now += wait
        const taken = take(bucket, rate, now)
        bucket = taken.bucket
        if (taken.ok) continue
        expect(taken.retryAfterMs).toBeGreaterThan(0)
        expect(taken.retryAfterMs).toBeLessThanOrEqual(Math.ceil(1_000 / rate.perSecond) + 1)
        expect(take(bucket, rate, now + taken.retryAfterMs + 1).ok).toBe(true)
      }
    }),
  )
})

it('over any period no more tokens are taken than burst and rate allow', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 300 }),
      (perSecond, burst, waits) => {
        let bucket: Bucket | undefined
        let now = 0
        let passed = 0
        for (const wait of waits) {
          now += wait
          const taken = take(bucket, { perSecond, burst }, now)
          bucket = taken.bucket
          if (taken.ok) passed++
        }
        expect(passed).toBeLessThanOrEqual(burst + (now / 1_000) * perSecond + 1e-6)
      },
    ),
  )
})

it('a clock that is set back adds nothing, and refills from there', () => {
  const rate = rateOf(1, 1)
  const { bucket } = take(undefined, rate, 3_600_000)
  const setBack = take(bucket, rate, 0)
  expect(setBack.ok).toBe(false)
  expect(take(setBack.bucket, rate, 999).ok).toBe(false)
  expect(take(setBack.bucket, rate, 1_000).ok).toBe(true)
})

it('a clock that runs backwards adds nothing', () => {
  const rate = rateOf(1, 1)
  const { bucket } = take(undefined, rate, 10_000)
  expect(take(bucket, rate, 0).ok).toBe(false)
  expect(take(take(bucket, rate, 0).bucket, rate, 11_000).ok).toBe(true)
})

it('a burst below one token is raised to one, since nothing could pass', () => {
  expect(rateOf(0.5, null)).toEqual({ perSecond: 0.5, burst: 1 })
  expect(rateOf(5, null)).toEqual({ perSecond: 5, burst: 5 })
  expect(rateOf(5, 9)).toEqual({ perSecond: 5, burst: 9 })
})

it('months and days are those of UTC', () => {
  const lastMoment = Date.UTC(2026, 11, 31, 23, 59, 59, 999)
  expect([monthOf(lastMoment), dayOf(lastMoment), msToNextMonth(lastMoment)]).toEqual(['2026-12', '2026-12-31', 1])
  expect(msToNextMonth(Date.UTC(2028, 1, 1))).toBe(29 * 86_400_000)
})
