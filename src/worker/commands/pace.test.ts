import { expect, test } from 'vitest'
import { withPause } from '../../domain/pace.ts'
import { Pace } from './pace.ts'

function setUp(pauseMs = 1_000) {
  const clock = { ms: 0 }
  const number = { pace: withPause(null, pauseMs) }
  const pace = new Pace({ monotonicMs: () => clock.ms }, number)
  return { clock, pace, number, mayBegin: () => pace.nextMs <= clock.ms }
}

test('the next message begins a pause after the one before has left', () => {
  const { clock, pace, mayBegin } = setUp()
  expect(mayBegin()).toBe(true)
  pace.begin('a')
  clock.ms = 50
  expect(mayBegin()).toBe(false)
  expect(pace.sent()).toBe(true)
  clock.ms = 1_049
  expect(mayBegin()).toBe(false)
  clock.ms = 1_050
  expect(mayBegin()).toBe(true)
})

test('a message that is acknowledged while another is about to leave lets no third one begin', () => {
  const { clock, pace, mayBegin } = setUp()
  pace.begin('a')
  pace.sent()
  clock.ms = 1_000
  pace.begin('b')
  pace.release('a')
  expect(mayBegin()).toBe(false)
  pace.sent()
  pace.release('b')
  expect(mayBegin()).toBe(false)
  clock.ms = 2_000
  expect(mayBegin()).toBe(true)
})

test('a message that was never sent delays no other', () => {
  const { pace, mayBegin } = setUp()
  pace.begin('a')
  pace.release('a')
  expect(mayBegin()).toBe(true)
})

test('without a pause messages begin as they come', () => {
  const { pace, mayBegin } = setUp(0)
  pace.begin('a')
  expect(mayBegin()).toBe(true)
  expect(pace.sent()).toBe(false)
})

test('a new pace begins without the pause of the one before', () => {
  const { pace, number, mayBegin } = setUp()
  pace.begin('a')
  pace.sent()
  expect(mayBegin()).toBe(false)
  number.pace = null
  expect(mayBegin()).toBe(true)
})

test('a pause that an earlier host began goes on', () => {
  const { clock, pace, mayBegin } = setUp()
  pace.resume(300)
  clock.ms = 299
  expect(mayBegin()).toBe(false)
  clock.ms = 300
  expect(mayBegin()).toBe(true)
})
