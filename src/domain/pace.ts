/** Hours in which a number writes only to people who have written to it. Times are HH:MM in the time zone. */
export interface QuietHours {
  from: string
  to: string
  timeZone: string
}

/** How a number paces its messages. */
export interface Pace {
  /** The pause between two messages is drawn between these. */
  minMs: number
  maxMs: number
  /** New contacts that it may write to in 24 hours; `null`: any number. */
  newPerDay: number | null
  /** The days after which a new number may use all of `newPerDay`; `null`: at once. */
  rampDays: number | null
  quiet: QuietHours | null
}

/** Why a message waits, besides a link that is down. */
export const HOLD_REASONS = ['pace', 'new_contacts', 'quiet_hours'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

export interface Hold {
  because: HoldReason
  untilMs: number
}

/** `high`: before the messages of the number to other chats. */
export const PRIORITIES = ['normal', 'high'] as const
export type Priority = (typeof PRIORITIES)[number]

export const MAX_PAUSE_MS = 600_000
export const MAX_NEW_PER_DAY = 10_000
export const MAX_RAMP_DAYS = 365
export const MAX_TYPING_MS = 30_000

/** For this long after a person has written, messages to them are answers. */
export const ANSWER_MS = 86_400_000

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440

/** Names with a slash, and UTC: offsets and abbreviations know no summer time. */
export function isTimeZone(name: string): boolean {
  if (name !== 'UTC' && !/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(name)) return false
  try {
    clockOf(name)
    return true
  } catch {
    return false
  }
}

/** The pace with this pause between messages; `null` if no rule is left. */
export function withPause(pace: Pace | null, pauseMs: number): Pace | null {
  const rest = pace ?? { newPerDay: null, rampDays: null, quiet: null }
  if (pauseMs === 0 && rest.newPerDay === null && rest.quiet === null) return null
  return { ...rest, minMs: pauseMs, maxMs: pauseMs }
}

export const drawPauseMs = ({ minMs, maxMs }: Pace, random: () => number): number =>
  minMs + Math.floor((maxMs - minMs + 1) * random())

/** How many new contacts the number may write to in 24 hours: with a ramp, each day the same amount more. */
export function newContactsPerDay({ newPerDay, rampDays }: Pace, linkedAtMs: number, nowMs: number): number {
  if (newPerDay === null) return Number.POSITIVE_INFINITY
  if (rampDays === null) return newPerDay
  const day = Math.floor(Math.max(0, nowMs - linkedAtMs) / DAY_MS) + 1
  return Math.max(1, Math.floor((newPerDay * Math.min(day, rampDays)) / rampDays))
}

/** What decides whether a message to a chat may be sent now. */
export interface ChatFacts {
  /** The person has written within 24 hours: the message is an answer. */
  hasWrittenLately: boolean
  /** Neither side has written before. */
  isNewContact: boolean
  /** When the number wrote to the latest new contacts, oldest first, within 24 hours. */
  newContactTimesMs: readonly number[]
  /** Other new contacts whose message is before this one. */
  newContactsAhead: number
  linkedAtMs: number
}

/** Why a message must wait now, and until when; `null` if it may be sent. */
export function holdOf(pace: Pace, facts: ChatFacts, nowMs: number): Hold | null {
  if (facts.hasWrittenLately) return null
  const quietUntilMs = pace.quiet === null ? null : quietEndMs(pace.quiet, nowMs)
  if (quietUntilMs !== null) return { because: 'quiet_hours', untilMs: quietUntilMs }
  if (!facts.isNewContact) return null
  const untilMs = newContactAtMs(newContactsPerDay(pace, facts.linkedAtMs, nowMs), facts, nowMs)
  return untilMs > nowMs ? { because: 'new_contacts', untilMs } : null
}

/**
 * When the budget has room for one more new contact. At the latest in a day the gateway decides again: the budget grows,
 * and messages ahead are cancelled.
 */
function newContactAtMs(budget: number, facts: ChatFacts, nowMs: number): number {
  const times = facts.newContactTimesMs
  const place = times.length + facts.newContactsAhead - budget
  if (place < 0) return nowMs
  return Math.min(nowMs, times[place] ?? nowMs) + DAY_MS
}

/** When the quiet hours end that it is in now; `null` if there are none now. */
export function quietEndMs({ from, to, timeZone }: QuietHours, nowMs: number): number | null {
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  const now = minuteOfDay(timeZone, nowMs)
  const isQuiet = begin < end ? begin <= now && now < end : now >= begin || now < end
  if (!isQuiet) return null
  const startOfMinute = nowMs - (nowMs % MINUTE_MS)
  const guessMs = startOfMinute + ((end - now + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS
  // The clocks may be changed in between.
  const offMinutes = ((end - minuteOfDay(timeZone, guessMs) + 1.5 * DAY_MINUTES) % DAY_MINUTES) - DAY_MINUTES / 2
  return Math.max(guessMs + offMinutes * MINUTE_MS, startOfMinute + MINUTE_MS)
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

const minuteOfDay = (timeZone: string, ms: number): number => minutesOf(clockOf(timeZone).format(ms))

/** By time zone: a formatter is expensive to make, and there are some hundred zones. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone)
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone })
    clocks.set(timeZone, clock)
  }
  return clock
}
