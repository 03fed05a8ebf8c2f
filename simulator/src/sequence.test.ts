import { expect, test } from 'vitest'
import { DistinctTimes } from './sequence.ts'

test('times of messages within one millisecond differ and keep their order, and later follow the clock again', () => {
  const times = new DistinctTimes()
  expect([times.next(1_000), times.next(1_000), times.next(1_000), times.next(1_500)]).toEqual([
    1_000, 1_001, 1_002, 1_500,
  ])
})
