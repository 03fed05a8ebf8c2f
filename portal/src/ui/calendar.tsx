import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { capitalized } from '../capitalized.ts'
import { locale } from '../language.ts'
import { lookUp } from '../look-up.ts'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'
import { t } from '../t.ts'

const monthName = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
const wholeDay = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })

const addDays = (day: Date, n: number): Date => new Date(day.getFullYear(), day.getMonth(), day.getDate() + n)
const addMonths = (day: Date, n: number): Date => new Date(day.getFullYear(), day.getMonth() + n, 1)
export const midnightOf = (day: Date): Date => addDays(day, 0)
const isSameDay = (a: Date, b: Date | undefined): boolean => b !== undefined && a.getTime() === midnightOf(b).getTime()

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

interface CalendarProps {
  /** The first and the last day that are chosen. */
  from: Date | undefined
  to: Date | undefined
  onPick: (day: Date) => void
}

/** A month of days to pick from. Arrows move by days and weeks. */
export function Calendar({ from, to, onPick }: CalendarProps) {
  const [at, setAt] = useState(midnightOf(from ?? new Date()))
  const grid = useRef<HTMLDivElement>(null)
  const moved = useRef(false)
  useEffect(() => {
    if (moved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    moved.current = false
  }, [at])
  const onKey = (event: KeyboardEvent) => {
    const step = lookUp(STEPS, event.key)
    if (step === undefined) return
    event.preventDefault()
    moved.current = true
    setAt(addDays(at, step))
  }
  const first = addMonths(at, 0)
  const shown = addDays(first, -((first.getDay() + 6) % 7))
  return (
    <div>
      <div className="mb-1 flex items-center">
        <IconButton label={t('Previous month')} icon={ChevronLeft} onClick={() => setAt(addMonths(at, -1))} />
        <p aria-live="polite" className="flex-1 text-center text-[13px] font-medium">
          {capitalized(monthName.format(at))}
        </p>
        <IconButton label={t('Next month')} icon={ChevronRight} onClick={() => setAt(addMonths(at, 1))} />
      </div>
      <div aria-hidden className="grid grid-cols-7 text-center text-[11px] text-muted">
        {days(shown, 7).map(day => (
          <span key={day.getDay()}>{weekday.format(day)}</span>
        ))}
      </div>
      <div ref={grid} role="group" aria-label={t('Days')} onKeyDown={onKey} className="grid grid-cols-7 text-center">
        {days(shown, 42).map(day => (
          <Day
            key={day.getTime()}
            day={day}
            isFocused={isSameDay(day, at)}
            isOther={day.getMonth() !== at.getMonth()}
            isEnd={isSameDay(day, from) || isSameDay(day, to)}
            isBetween={from !== undefined && to !== undefined && day > midnightOf(from) && day < midnightOf(to)}
            onPick={() => {
              setAt(day)
              onPick(day)
            }}
          />
        ))}
      </div>
    </div>
  )
}

const days = (first: Date, n: number): Date[] => Array.from({ length: n }, (_, index) => addDays(first, index))

interface DayProps {
  day: Date
  isFocused: boolean
  /** Of the month before or after. */
  isOther: boolean
  isEnd: boolean
  isBetween: boolean
  onPick: () => void
}

function Day({ day, isFocused, isOther, isEnd, isBetween, onPick }: DayProps) {
  return (
    <button
      type="button"
      tabIndex={isFocused ? 0 : -1}
      aria-label={wholeDay.format(day)}
      aria-pressed={isEnd || isBetween}
      aria-current={isSameDay(day, new Date()) ? 'date' : undefined}
      onClick={onPick}
      className={classes(
        'h-8 rounded-md text-[13px] tabular-nums aria-[current=date]:font-semibold aria-[current=date]:underline',
        isEnd && 'bg-accent font-medium text-on-accent',
        isBetween && 'bg-accent-soft text-accent-strong',
        !isEnd && !isBetween && (isOther ? 'text-muted hover:bg-raised' : 'hover:bg-raised'),
      )}
    >
      {day.getDate()}
    </button>
  )
}
