import { conflicting, invalid } from './errors.ts'
import { isTimeZone, type Pace, type QuietHours } from './pace.ts'

/** A pace as a request gives it; what it leaves out does not apply. */
export interface PaceBody {
  min_ms?: number
  max_ms?: number
  new_per_day?: number | null
  ramp_days?: number | null
  quiet?: { from: string; to: string; time_zone: string } | null
}

/** The pace of a request; throws an error that names the field and what to give instead. */
export function parsePace(body: PaceBody): Pace {
  const { min_ms: minMs = 0, max_ms: maxMs = minMs, new_per_day: newPerDay = null, ramp_days: rampDays = null } = body
  if (maxMs < minMs) throw conflicting('pace.max_ms must be at least pace.min_ms', 'pace.max_ms')
  if (rampDays !== null && newPerDay === null)
    throw conflicting('pace.ramp_days needs pace.new_per_day: give both, or leave pace.ramp_days out', 'pace.ramp_days')
  const quiet = body.quiet == null ? null : parseQuiet(body.quiet)
  if (maxMs === 0 && newPerDay === null && quiet === null)
    throw invalid('pace has no rule: give max_ms, new_per_day or quiet, or null to send without a pace', 'pace')
  return { minMs, maxMs, newPerDay, rampDays, quiet }
}

function parseQuiet({ from, to, time_zone: timeZone }: NonNullable<PaceBody['quiet']>): QuietHours {
  for (const [field, time] of Object.entries({ from, to })) {
    if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(time))
      throw invalid(`pace.quiet.${field} must be a time of day such as 22:00`, `pace.quiet.${field}`)
  }
  if (from === to) throw conflicting('pace.quiet.to must differ from pace.quiet.from', 'pace.quiet.to')
  if (!isTimeZone(timeZone))
    throw invalid('pace.quiet.time_zone must be an IANA time zone such as Europe/Berlin', 'pace.quiet.time_zone')
  return { from, to, timeZone }
}
