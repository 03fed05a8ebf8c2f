import { useState } from 'react'
import { isMoving, momentOf } from '../moments.ts'
import { locale } from '../language.ts'
import { Calendar } from './calendar.tsx'
import { classes } from './classes.ts'
import { TextField } from './field.tsx'
import { t } from '../t.ts'

const PRESETS = [
  { value: '', label: t('Any time') },
  { value: '15m', label: t('Last 15 minutes') },
  { value: '1h', label: t('Last hour') },
  { value: '24h', label: t('Last 24 hours') },
  { value: 'today', label: t('Today') },
  { value: 'yesterday', label: t('Since yesterday') },
  { value: '7d', label: t('Last 7 days') },
] as const

const short = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short' })

export interface Times {
  /** The name of a relative time, or a fixed one such as `2026-11-17T14:30`; empty if there is none. */
  since: string
  until: string
}

const isFixed = ({ since, until }: Times): boolean => until !== '' || (since !== '' && !isMoving(since))

/** The name of a range. */
export function rangeName(times: Times): string {
  const preset = PRESETS.find(({ value }) => value === times.since)
  if (preset !== undefined && !isFixed(times)) return preset.label
  const name = (moment: string) => {
    const at = momentOf(moment)
    return at === undefined ? '…' : short.format(at)
  }
  return `${name(times.since)} – ${name(times.until)}`
}

interface RangePickerProps extends Times {
  onChange: (times: Times) => void
}

/** A relative time, or two fixed ones that the user picks in a month or types. */
export function RangePicker({ since, until, onChange }: RangePickerProps) {
  const [asking, setAsking] = useState(false)
  const fixed = asking || isFixed({ since, until })
  const choose = (value: string) => {
    setAsking(false)
    onChange({ since: value, until: '' })
  }
  return (
    <div className="space-y-3">
      <div role="group" aria-label={t('Time range')} className="flex flex-wrap gap-1.5">
        {PRESETS.map(({ value, label }) => (
          <Chip key={value} pressed={!fixed && since === value} onClick={() => choose(value)}>
            {label}
          </Chip>
        ))}
        <Chip pressed={fixed} onClick={() => setAsking(true)}>
          {t('From … to …')}
        </Chip>
      </div>
      {fixed && <Fixed since={isMoving(since) ? '' : since} until={until} onChange={onChange} />}
    </div>
  )
}

function Chip({ pressed, onClick, children }: { pressed: boolean; onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onClick}
      className={classes(
        'h-8 rounded-lg border px-2.5 text-[13px]',
        pressed ? 'border-accent bg-accent-soft font-medium text-accent-strong' : 'hover:bg-raised',
      )}
    >
      {children}
    </button>
  )
}

function Fixed({ since, until, onChange }: RangePickerProps) {
  const [from, to] = [dateOf(since), dateOf(until)]
  const pick = (day: Date) => {
    const begins = from === undefined || to !== undefined || day < from
    onChange(begins ? { since: textOf(day, '00:00'), until: '' } : { since, until: textOf(day, '23:59') })
  }
  return (
    <div className="space-y-3">
      <div className="grid grid-cols-2 gap-2">
        <Moment label={t('From ¦ a time')} value={since} onChange={value => onChange({ since: value, until })} />
        <Moment label={t('To ¦ a time')} value={until} onChange={value => onChange({ since, until: value })} />
      </div>
      <Calendar from={from} to={to} onPick={pick} />
    </div>
  )
}

const two = (n: number): string => String(n).padStart(2, '0')
const textOf = (day: Date, time: string): string =>
  `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}T${time}`

function dateOf(moment: string): Date | undefined {
  const at = momentOf(moment === '' ? undefined : moment)
  return at === undefined ? undefined : new Date(at)
}

/** Parses typed text such as `2026-11-17 14:30`; undefined if it is not a time yet. */
function readMoment(typed: string): string | undefined {
  const text = typed.trim()
  if (text === '') return ''
  const [, day, time = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?$/.exec(text) ?? []
  return day !== undefined && momentOf(`${day}T${time}`) !== undefined ? `${day}T${time}` : undefined
}

function Moment({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value.replace('T', ' '))
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    if (readMoment(typed) !== value) setTyped(value.replace('T', ' '))
  }
  return (
    <TextField
      label={label}
      value={typed}
      placeholder="2026-01-31 14:30"
      inputMode="numeric"
      autoComplete="off"
      onChange={event => {
        setTyped(event.target.value)
        const moment = readMoment(event.target.value)
        if (moment !== undefined) onChange(moment)
      }}
    />
  )
}
