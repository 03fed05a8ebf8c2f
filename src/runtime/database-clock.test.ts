import { describe, expect, it } from 'vitest'
import type { Clock } from './clock.ts'
import { chooseTime, DatabaseClock } from './database-clock.ts'

const known = { offsetMs: 1_000, widthMs: 4, atMs: 0 }

describe('the choice between two times of the database', () => {
  it.each([
    ['the first', undefined, { offsetMs: 5, widthMs: 90, atMs: 0 }, 'newer'],
    ['a quicker one', known, { offsetMs: 1_001, widthMs: 2, atMs: 1_000 }, 'newer'],
    ['a slower one that agrees, not', known, { offsetMs: 990, widthMs: 40, atMs: 1_000 }, 'known'],
    ['a slower one when the other has grown old', known, { offsetMs: 990, widthMs: 40, atMs: 60_000 }, 'newer'],
    [
      'one that took as long as a pause of the process, not',
      known,
      { offsetMs: -28_990, widthMs: 30_000, atMs: 60_000 },
      'known',
    ],
    ['one that contradicts, ahead', known, { offsetMs: 601_000, widthMs: 40, atMs: 1_000 }, 'newer'],
    ['one that contradicts, behind', known, { offsetMs: -599_000, widthMs: 40, atMs: 1_000 }, 'newer'],
    ['one within what clocks drift', known, { offsetMs: 1_050, widthMs: 60, atMs: 50_000 }, 'known'],
  ] as const)('%s', (_, before, response, expected) => {
    expect(chooseTime(before, response)).toBe(expected === 'newer' ? response : before)
  })
})

describe('DatabaseClock', () => {
  function machine(aheadMs: number) {
    let passedMs = 0
    const databaseMs = () => 1_700_000_000_000 + passedMs
    const own: Clock = {
      now: () => new Date(databaseMs() + aheadMs),
      monotonicMs: () => 77 + passedMs,
      sleep: async () => {},
    }
    return { own, databaseMs, pass: (ms: number) => void (passedMs += ms) }
  }

  it.each([600_000, -600_000, 0])('shows the database’s time although the machine’s clock is %i ms ahead', aheadMs => {
    const { own, databaseMs, pass } = machine(aheadMs)
    const clock = new DatabaseClock(own)
    expect(clock.now()).toEqual(own.now())
    const response = clock.startMeasurement()
    pass(3)
    response(databaseMs())
    expect(clock.now().getTime()).toBe(databaseMs())
    pass(3_600_000)
    expect(clock.now().getTime()).toBe(databaseMs())
    expect(clock.aheadMs()).toBe(aheadMs)
  })

  it('is never ahead of the database, however long the response takes', () => {
    const { own, databaseMs, pass } = machine(0)
    const clock = new DatabaseClock(own)
    const response = clock.startMeasurement()
    const said = databaseMs()
    pass(500)
    response(said)
    expect(clock.now().getTime()).toBe(said)
  })

  it('stands still where a more precise response sets it back a little, and follows a database whose clock was set', () => {
    const { own, databaseMs, pass } = machine(0)
    const clock = new DatabaseClock(own)
    clock.startMeasurement()(databaseMs())
    const before = clock.now().getTime()
    const answer = (differenceMs: number) => {
      const response = clock.startMeasurement()
      response(databaseMs() + differenceMs)
    }
    answer(-40)
    expect(clock.now().getTime()).toBe(before)
    pass(100)
    expect(clock.now().getTime()).toBe(before + 60)
    answer(-60_000)
    expect(clock.now().getTime()).toBe(databaseMs() - 60_000)
  })
})
