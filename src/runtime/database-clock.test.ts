import { describe, expect, it } from 'vitest'
import type { Clock } from './clock.ts'
import { believed, DatabaseClock } from './database-clock.ts'

const known = { offsetMs: 1_000, widthMs: 4, atMs: 0 }

describe('which word of the database on its time is believed', () => {
  it.each([
    ['the first', undefined, { offsetMs: 5, widthMs: 90, atMs: 0 }, 'heard'],
    ['a quicker one', known, { offsetMs: 1_001, widthMs: 2, atMs: 1_000 }, 'heard'],
    ['a slower one that agrees, not', known, { offsetMs: 990, widthMs: 40, atMs: 1_000 }, 'known'],
    ['a slower one when the other has grown old', known, { offsetMs: 990, widthMs: 40, atMs: 60_000 }, 'heard'],
    [
      'one that took as long as a pause of the process, not',
      known,
      { offsetMs: -28_990, widthMs: 30_000, atMs: 60_000 },
      'known',
    ],
    ['one that contradicts, ahead', known, { offsetMs: 601_000, widthMs: 40, atMs: 1_000 }, 'heard'],
    ['one that contradicts, behind', known, { offsetMs: -599_000, widthMs: 40, atMs: 1_000 }, 'heard'],
    ['one within what clocks drift', known, { offsetMs: 1_050, widthMs: 60, atMs: 50_000 }, 'known'],
  ] as const)('%s', (_, before, heard, expected) => {
    expect(believed(before, heard)).toBe(expected === 'heard' ? heard : before)
  })
})

describe('the time as the database has it', () => {
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

  it.each([600_000, -600_000, 0])('is told whatever the machine says: %i ms ahead', aheadMs => {
    const { own, databaseMs, pass } = machine(aheadMs)
    const clock = new DatabaseClock(own)
    expect(clock.now()).toEqual(own.now())
    const heard = clock.asking()
    pass(3)
    heard(databaseMs())
    expect(clock.now().getTime()).toBe(databaseMs())
    pass(3_600_000)
    expect(clock.now().getTime()).toBe(databaseMs())
    expect(clock.aheadMs()).toBe(aheadMs)
  })

  it('is never ahead of the database, however long the answer was under way', () => {
    const { own, databaseMs, pass } = machine(0)
    const clock = new DatabaseClock(own)
    const heard = clock.asking()
    const said = databaseMs()
    pass(500)
    heard(said)
    expect(clock.now().getTime()).toBe(said)
  })

  it('stands still where a better answer sets it back a little, and follows a database whose clock was set', () => {
    const { own, databaseMs, pass } = machine(0)
    const clock = new DatabaseClock(own)
    clock.asking()(databaseMs())
    const before = clock.now().getTime()
    const tell = (differenceMs: number) => {
      const heard = clock.asking()
      heard(databaseMs() + differenceMs)
    }
    tell(-40)
    expect(clock.now().getTime()).toBe(before)
    pass(100)
    expect(clock.now().getTime()).toBe(before + 60)
    tell(-60_000)
    expect(clock.now().getTime()).toBe(databaseMs() - 60_000)
  })
})
