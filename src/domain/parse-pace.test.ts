import { expect, it } from 'vitest'
import { type PaceBody, parsePace } from './parse-pace.ts'

const hours = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' }

it.each<[string, PaceBody, string]>([
  ['pace.max_ms', { min_ms: 2, max_ms: 1 }, 'pace.max_ms must be at least pace.min_ms'],
  [
    'pace.ramp_days',
    { max_ms: 1, ramp_days: 3 },
    'pace.ramp_days needs pace.new_per_day: give both, or leave pace.ramp_days out',
  ],
  ['pace.quiet.from', { quiet: { ...hours, from: '24:00' } }, 'pace.quiet.from must be a time of day such as 22:00'],
  ['pace.quiet.to', { quiet: { ...hours, to: '7:00' } }, 'pace.quiet.to must be a time of day such as 22:00'],
  ['pace.quiet.to', { quiet: { ...hours, to: '22:00' } }, 'pace.quiet.to must differ from pace.quiet.from'],
  [
    'pace.quiet.time_zone',
    { quiet: { ...hours, time_zone: 'Mars/Base' } },
    'pace.quiet.time_zone must be an IANA time zone such as Europe/Berlin',
  ],
  [
    'pace.quiet.time_zone',
    { quiet: { ...hours, time_zone: '+02:00' } },
    'pace.quiet.time_zone must be an IANA time zone such as Europe/Berlin',
  ],
  ['pace', {}, 'pace has no rule: give max_ms, new_per_day or quiet, or null to send without a pace'],
  ['pace', { min_ms: 0 }, 'pace has no rule: give max_ms, new_per_day or quiet, or null to send without a pace'],
])('a wrong %s is rejected with what to give instead', (param, body, message) => {
  expect(() => parsePace(body)).toThrow(expect.objectContaining({ param, message }))
})
