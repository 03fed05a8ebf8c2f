import { Check, Copy, X } from 'lucide-react'
import { useState } from 'react'
import { classes } from './classes.ts'
import { writeClipboard } from './clipboard.ts'
import { t } from '../t.ts'

interface Outcome {
  icon: typeof Copy
  colour: string
  words: string
  shownMs: number
}

const COPIED: Outcome = { icon: Check, colour: 'text-accent', words: t('Copied'), shownMs: 1_500 }
const REFUSED: Outcome = { icon: X, colour: 'text-danger', words: t('Could not copy'), shownMs: 5_000 }

/** The result of the last click, shown briefly, and the click handler. */
function useCopy(text: string): [Outcome | null, () => void] {
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const copy = async () => {
    const next = (await writeClipboard(text)) ? COPIED : REFUSED
    setOutcome(next)
    setTimeout(() => setOutcome(shown => (shown === next ? null : shown)), next.shownMs)
  }
  return [outcome, () => void copy()]
}

/** A monospace id that copies on click. */
export function CopyId({ id, show, className }: { id: string; show?: string; className?: string }) {
  const [outcome, copy] = useCopy(id)
  const Icon = outcome?.icon ?? Copy
  const words = outcome?.words ?? t('Copy {id}', { id })
  return (
    <button
      type="button"
      onClick={copy}
      title={words}
      aria-label={words}
      className={classes(
        'group inline-flex max-w-full items-center gap-1.5 rounded px-1 py-0.5 font-mono text-[12px] hover:bg-raised',
        className,
      )}
    >
      <span className="truncate">{show ?? id}</span>
      <Icon
        size={12}
        aria-hidden
        className={classes('shrink-0', outcome?.colour ?? 'text-muted opacity-60 group-hover:opacity-100')}
      />
    </button>
  )
}

export function CopyButton({ text, label = t('Copy') }: { text: string; label?: string }) {
  const [outcome, copy] = useCopy(text)
  const Icon = outcome?.icon ?? Copy
  return (
    <button
      type="button"
      onClick={copy}
      className="inline-flex h-8 items-center gap-1.5 rounded-lg border border-line-strong bg-surface px-2.5 text-[13px] font-medium hover:bg-raised"
    >
      <Icon size={14} aria-hidden className={outcome?.colour} />
      <span aria-live="polite">{outcome?.words ?? label}</span>
    </button>
  )
}
