import { describe, expect, it } from 'vitest'
import { type ChatFacts, drawPauseMs, holdOf, newContactsPerDay, type Pace, quietEndMs, withPause } from './pace.ts'
import { type PaceBody, parsePace } from './parse-pace.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.parse('2026-11-18T12:00:00Z')
const pace = (body: PaceBody): Pace => parsePace(body)
const facts = (change: Partial<ChatFacts> = {}): ChatFacts => ({
  hasWrittenLately: false,
  isNewContact: true,
  newContactTimesMs: [],
  newContactsAhead: 0,
  linkedAtMs: 0,
  ...change,
})

describe('the pause between messages', () => {
  it('is drawn between min_ms and max_ms, both included', () => {
    const rule = pace({ min_ms: 1_000, max_ms: 3_000 })
    expect([0, 0.5, 0.999_999].map(fraction => drawPauseMs(rule, () => fraction))).toEqual([1_000, 2_000, 3_000])
  })

  it('is exact if only min_ms is given', () => {
    expect(drawPauseMs(pace({ min_ms: 500 }), () => 0.7)).toBe(500)
  })

  it('changes without the other rules, and ends the pace if none is left', () => {
    expect(withPause(pace({ max_ms: 9, new_per_day: 5 }), 0)).toMatchObject({ minMs: 0, maxMs: 0, newPerDay: 5 })
    expect(withPause(pace({ max_ms: 9 }), 0)).toBeNull()
    expect(withPause(null, 250)).toEqual({ minMs: 250, maxMs: 250, newPerDay: null, rampDays: null, quiet: null })
  })
})

describe('the budget of new contacts', () => {
  it('grows in equal steps until ramp_days have passed', () => {
    const rule = pace({ new_per_day: 50, ramp_days: 10 })
    const onDay = (day: number) => newContactsPerDay(rule, NOW, NOW + (day - 1) * DAY + HOUR)
    expect([1, 2, 5, 10, 100].map(onDay)).toEqual([5, 10, 25, 50, 50])
  })

  it('is at least one a day', () => {
    expect(newContactsPerDay(pace({ new_per_day: 2, ramp_days: 30 }), NOW, NOW)).toBe(1)
  })

  it('holds a new contact until the first of the last 24 hours is over', () => {
    const newContactTimesMs = [NOW - 20 * HOUR, NOW - HOUR]
    const rule = pace({ new_per_day: 2 })
    const hold = { because: 'new_contacts', untilMs: NOW + 4 * HOUR }
    expect(holdOf(rule, facts({ newContactTimesMs }), NOW)).toEqual(hold)
    expect(holdOf(rule, facts({ newContactTimesMs, isNewContact: false }), NOW)).toBeNull()
    expect(holdOf(rule, facts({ newContactTimesMs: [NOW - HOUR] }), NOW)).toBeNull()
  })

  it('gives each further contact its own time, at most a day ahead', () => {
    const rule = pace({ new_per_day: 2 })
    const untilMs = (newContactsAhead: number) =>
      holdOf(rule, facts({ newContactTimesMs: [NOW - 20 * HOUR, NOW - HOUR], newContactsAhead }), NOW)?.untilMs
    expect([0, 1, 2, 99].map(untilMs)).toEqual([NOW + 4 * HOUR, NOW + 23 * HOUR, NOW + DAY, NOW + DAY])
  })

  it('keeps the room for contacts who have waited longer', () => {
    const rule = pace({ new_per_day: 2 })
    expect(holdOf(rule, facts({ newContactsAhead: 1 }), NOW)).toBeNull()
    expect(holdOf(rule, facts({ newContactsAhead: 2 }), NOW)?.because).toBe('new_contacts')
  })
})

describe('quiet hours', () => {
  const quiet = (from: string, to: string, timeZone = 'UTC') => ({ from, to, timeZone })
  const endOf = (hours: ReturnType<typeof quiet>, at: string) => {
    const end = quietEndMs(hours, Date.parse(at))
    return end === null ? null : new Date(end).toISOString()
  }

  it.each([
    ['within a day', quiet('09:00', '17:30'), '2026-11-18T12:00:30Z', '2026-11-18T17:30:00.000Z'],
    ['before midnight', quiet('22:00', '07:00'), '2026-11-18T23:15:00Z', '2026-11-19T07:00:00.000Z'],
    ['after midnight', quiet('22:00', '07:00'), '2026-11-18T06:59:59.999Z', '2026-11-18T07:00:00.000Z'],
    ['in their zone', quiet('22:00', '07:00', 'America/Sao_Paulo'), '2026-11-18T02:00:00Z', '2026-11-18T10:00:00.000Z'],
    [
      'when clocks go forward',
      quiet('22:00', '07:00', 'Europe/Berlin'),
      '2026-03-28T22:00:00Z',
      '2026-03-29T05:00:00.000Z',
    ],
    [
      'when clocks go back',
      quiet('22:00', '07:00', 'Europe/Berlin'),
      '2026-10-24T22:00:00Z',
      '2026-10-25T06:00:00.000Z',
    ],
  ])('end at their time %s', (_, hours, at, end) => {
    expect(endOf(hours, at)).toBe(end)
  })

  it.each(['2026-11-18T07:00:00Z', '2026-11-18T12:00:00Z', '2026-11-18T21:59:59Z'])('are not at %s', at => {
    expect(endOf(quiet('22:00', '07:00'), at)).toBeNull()
  })

  it('and the budget of new contacts let answers pass', () => {
    const rule = pace({ new_per_day: 1, quiet: { from: '11:00', to: '13:00', time_zone: 'UTC' } })
    const known = facts({ newContactTimesMs: [NOW - HOUR], hasWrittenLately: true })
    expect(holdOf(rule, known, NOW)).toBeNull()
    expect(holdOf(rule, { ...known, hasWrittenLately: false }, NOW)).toEqual({
      because: 'quiet_hours',
      untilMs: NOW + HOUR,
    })
  })
})
