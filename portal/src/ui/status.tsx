import type { LucideIcon } from 'lucide-react'
import { classes } from './classes.ts'

export type Tone = 'good' | 'waiting' | 'bad' | 'calm' | 'off'

const DOTS: Record<Tone, string> = {
  good: 'bg-accent',
  waiting: 'bg-waiting',
  bad: 'bg-danger',
  calm: 'bg-calm',
  off: 'border border-muted',
}

const SIGNS: Record<Tone, string> = {
  good: 'text-accent',
  waiting: 'text-waiting',
  bad: 'text-danger',
  calm: 'text-calm',
  off: 'text-muted',
}

interface StatusProps {
  tone: Tone
  /** Instead of the dot. */
  icon?: LucideIcon | undefined
  children: string
}

/** A dot or a sign, and a word: never colour alone. */
export function Status({ tone, icon: Icon, children }: StatusProps) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      {Icon ? (
        <Icon size={15} aria-hidden className={classes('-mx-[3px] shrink-0', SIGNS[tone])} />
      ) : (
        <span aria-hidden className={classes('size-2 shrink-0 rounded-full', DOTS[tone])} />
      )}
      {children}
    </span>
  )
}

export function Badge({ tone = 'off', children }: { tone?: Tone; children: string }) {
  const look = {
    good: 'bg-accent-soft text-accent-strong',
    waiting: 'bg-waiting-soft text-waiting',
    bad: 'bg-danger-soft text-danger',
    calm: 'bg-calm-soft text-calm',
    off: 'bg-raised text-muted',
  }[tone]
  return (
    <span className={classes('rounded px-1.5 py-0.5 text-[12px] font-medium whitespace-nowrap', look)}>{children}</span>
  )
}
