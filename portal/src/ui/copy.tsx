import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { classes } from './classes.ts'
import { t } from '../t.ts'

function useCopy(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false)
  const copy = () => {
    void writeClipboard(text).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), 1_500)
    })
  }
  return [copied, copy]
}

/** Pages without https have no clipboard interface; there the old way still works. */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  const host = document.querySelector('dialog[open]') ?? document.body
  host.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** A monospace id that copies on click. */
export function CopyId({ id, show, className }: { id: string; show?: string; className?: string }) {
  const [copied, copy] = useCopy(id)
  const Icon = copied ? Check : Copy
  return (
    <button
      type="button"
      onClick={copy}
      title={copied ? t('Copied') : t('Copy {id}', { id })}
      aria-label={copied ? t('Copied') : t('Copy {id}', { id })}
      className={classes(
        'group inline-flex max-w-full items-center gap-1.5 rounded px-1 py-0.5 font-mono text-[12px] hover:bg-raised',
        className,
      )}
    >
      <span className="truncate">{show ?? id}</span>
      <Icon
        size={12}
        aria-hidden
        className={classes('shrink-0', copied ? 'text-accent' : 'text-muted opacity-60 group-hover:opacity-100')}
      />
    </button>
  )
}

export function CopyButton({ text, label = t('Copy') }: { text: string; label?: string }) {
  const [copied, copy] = useCopy(text)
  const Icon = copied ? Check : Copy
  return (
    <button
      type="button"
      onClick={copy}
      className="inline-flex h-8 items-center gap-1.5 rounded-lg border border-line-strong bg-surface px-2.5 text-[13px] font-medium hover:bg-raised"
    >
      <Icon size={14} aria-hidden className={copied ? 'text-accent' : ''} />
      <span aria-live="polite">{copied ? t('Copied') : label}</span>
    </button>
  )
}
