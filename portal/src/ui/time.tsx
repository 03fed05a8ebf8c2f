import { useSyncExternalStore } from 'react'
import { capitalized } from '../capitalized.ts'
import { language, locale } from '../language.ts'
import { t } from '../t.ts'

const local = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const utcMonth = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
/** English alone stays readable where it is shortest: "5m ago". */
const style = language === 'en' ? 'narrow' : 'short'
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style })

const tickers = new Set<() => void>()
let nowMs = Date.now()

/** Ticks on each full second, so that a countdown never shows an outdated time. */
function renew(): void {
  nowMs = Date.now()
  for (const tick of tickers) tick()
  setTimeout(renew, 1_000 - (nowMs % 1_000))
}
renew()

const subscribe = (tick: () => void) => {
  tickers.add(tick)
  return () => void tickers.delete(tick)
}

/** The time, renewed as often as `stepMs` says, so that a page of rows does not render every second. */
export const useNow = (stepMs: number): number =>
  useSyncExternalStore(subscribe, () => Math.floor(nowMs / stepMs) * stepMs)

const exactTime = (at: string): string =>
  `${t('{time} local', { time: local.format(new Date(at)) })}\n${new Date(at).toISOString()} UTC`
export const clockTime = (at: string): string => clock.format(new Date(at))
export const localTime = (at: string): string => local.format(new Date(at))

/** A day or a month of the account's books, such as `2026-11-16` and `2026-11`; both are UTC. */
export const dayName = (day: string): string => utcDay.format(new Date(day))
export const monthName = (month: string): string => capitalized(utcMonth.format(new Date(month)))

function relativeTime(atMs: number, now: number): string {
  const seconds = Math.round((atMs - now) / 1000)
  const size = Math.abs(seconds)
  if (size < 5) return t('now')
  if (size < 60) return relative.format(seconds, 'second')
  if (size < 3600) return relative.format(Math.round(seconds / 60), 'minute')
  if (size < 86_400) return relative.format(Math.round(seconds / 3600), 'hour')
  return relative.format(Math.round(seconds / 86_400), 'day')
}

/** How long ago; the exact local and UTC times on hover. */
export function Time({ at }: { at: string }) {
  const now = useNow(5_000)
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(Date.parse(at), now)}
    </time>
  )
}

/** The exact local time; UTC on hover. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {local.format(new Date(at))}
    </time>
  )
}

/** Counts down to `at`, such as "in 04:31". */
export function Countdown({ at }: { at: string }) {
  const now = useNow(1_000)
  const left = Math.max(0, Math.floor((Date.parse(at) - now) / 1000))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(left / 3600)
  const text = `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`
  return (
    <time dateTime={at} title={exactTime(at)} className="tabular-nums">
      {left === 0 ? t('due now') : t('in {time}', { time: text })}
    </time>
  )
}
