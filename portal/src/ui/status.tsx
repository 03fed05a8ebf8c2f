import { classes } from './classes.ts'

export type Tone = 'good' | 'waiting' | 'bad' | 'calm' | 'off'

const DOTS: Record<Tone, string> = {
  good: 'bg-accent',
  waiting: 'bg-waiting',
  bad: 'bg-danger',
  calm: 'bg-calm',
  off: 'border border-muted',
}

/** A dot and a word, never colour alone. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span aria-hidden className={classes('size-2 shrink-0 rounded-full', DOTS[tone])} />
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
