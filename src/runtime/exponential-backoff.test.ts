import { expect, it } from 'vitest'
import { backoffMs } from './exponential-backoff.ts'

it.each([
  [0, 500],
  [3, 4_000],
  [7, 60_000],
  [10_000, 60_000],
])('after %i consecutive failures the wait is %i ms', (failures, ms) =>
  expect(backoffMs(500, 60_000, failures)).toBe(ms),
)
