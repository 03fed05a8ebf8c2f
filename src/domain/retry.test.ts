import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterAttempt } from './retry.ts'

const delaysMs = [30_000, 300_000, 1_800_000]
const failedAttempt = (attempt: number, random = 0) =>
  afterAttempt({ attempt, delivered: false, delaysMs, random: () => random })

describe('Delivery behaviour', () => {
  test.each([
    [1, 2, 30_000],
    [2, 3, 300_000],
    [3, 4, 1_800_000],
  ])('after attempt %i fails, attempt %i is due %i ms later', (attempt, _, delayMs) => {
    expect(failedAttempt(attempt)).toEqual({ next: 'retry', delayMs })
  })
  test('After the last attempt the delivery moves to the dead letters', () => {
    expect(failedAttempt(4)).toEqual({ next: 'dead' })
    expect(failedAttempt(5)).toEqual({ next: 'dead' })
  })
  test('a delivered attempt is the end, whichever it was', () => {
    for (const attempt of [1, 2, 3, 4]) {
      expect(afterAttempt({ attempt, delivered: true, delaysMs, random: Math.random })).toEqual({
        next: 'delivered',
      })
    }
  })
})

test('a retry is never early and at most a tenth late', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), chance, (waitMs, random) => {
      const after = afterAttempt({ attempt: 1, delivered: false, delaysMs: [waitMs], random: () => random })
      if (after.next !== 'retry') throw new Error('no retry')
      expect(Number.isInteger(after.delayMs)).toBe(true)
      expect(after.delayMs).toBeGreaterThanOrEqual(waitMs)
      expect(after.delayMs).toBeLessThanOrEqual(waitMs * 1.1)
    }),
  )
})
