import { expect, it } from 'vitest'
import { ProcessStalls } from './process-stalls.ts'

it.each([
  { checks: [5_000, 10_000], at: 12_000, justOver: false },
  { checks: [5_000, 10_300], at: 10_300, justOver: false },
  { checks: [5_000], at: 40_000, justOver: true },
  { checks: [5_000, 40_000], at: 40_000, justOver: true },
  { checks: [5_000, 40_000], at: 40_900, justOver: true },
  { checks: [5_000, 40_000], at: 41_100, justOver: false },
  { checks: [5_000, 40_000, 45_000], at: 45_000, justOver: false },
])('after checks at $checks, a stall is just over at $at: $justOver', ({ checks, at, justOver }) => {
  let nowMs = 0
  const stalls = new ProcessStalls({ monotonicMs: () => nowMs }, 5_000)
  for (const checkedAt of checks) {
    nowMs = checkedAt
    stalls.check()
  }
  nowMs = at
  expect(stalls.isJustOver).toBe(justOver)
})
