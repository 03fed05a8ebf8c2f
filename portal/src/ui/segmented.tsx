import { classes } from './classes.ts'

interface SegmentedProps<T extends string> {
  label: string
  value: T
  choices: readonly { value: T; label: string }[]
  onChange: (value: T) => void
}

/** A choice between a few options, all of them visible. */
export function Segmented<T extends string>({ label, value, choices, onChange }: SegmentedProps<T>) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex max-w-full rounded-lg border border-line-strong bg-surface p-0.5"
    >
      {choices.map(choice => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className={classes(
            'h-7 rounded-md px-2.5 text-[13px] font-medium whitespace-nowrap',
            choice.value === value ? 'bg-accent-soft text-accent-strong' : 'text-muted hover:text-ink',
          )}
        >
          {choice.label}
        </button>
      ))}
    </div>
  )
}
