import { expect, it } from 'vitest'
import { ProcessStalls } from './process-stalls.ts'

it.each([
  { looks: [5_000, 10_000], askedAt: 12_000, justOver: false },
  { looks: [5_000, 10_300], askedAt: 10_300, justOver: false },
  { looks: [5_000], askedAt: 40_000, justOver: true },
  { looks: [5_000, 40_000], askedAt: 40_000, justOver: true },
  { looks: [5_000, 40_000], askedAt: 40_900, justOver: true },
  { looks: [5_000, 40_000], askedAt: 41_100, justOver: false },
  { looks: [5_000, 40_000, 45_000], askedAt: 45_000, justOver: false },
])('looks at $looks: at $askedAt a pause is just over: $justOver', ({ looks, askedAt, justOver }) => {
  let nowMs = 0
  const pauses = new ProcessStalls({ monotonicMs: () => nowMs }, 5_000)
  for (const at of looks) {
    nowMs = at
    pauses.look()
  }
  nowMs = askedAt
  expect(pauses.isJustOver).toBe(justOver)
})
