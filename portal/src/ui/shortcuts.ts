import { useEffect } from 'react'
import { lookUp } from '../look-up.ts'
import { writeClipboard } from './clipboard.ts'
import { toast } from './toast.tsx'
import { t } from '../t.ts'

/** Whether a key press belongs to a text field. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Runs `action` when the key is pressed outside of fields and dialogs. */
export function useShortcut(key: string, action: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (isTyping(event) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}

const rowLinks = () => [...document.querySelectorAll<HTMLElement>('[data-row]')]

/** `j`, `k` and the arrows move through the rows of the list; `/` goes to its filter, `c` copies the id of the row. */
export function useListKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (isTyping(event) || document.querySelector('dialog[open], [data-panel]')) return
      const step = lookUp({ j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }, event.key)
      if (step !== undefined) moveRow(step)
      else if (event.key === '/')
        document.querySelector<HTMLElement>('[data-filter] select, [data-filter] input')?.focus()
      else if (event.key === 'c') void copyRow()
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

function moveRow(step: number): void {
  const rows = rowLinks()
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = at === -1 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))
  rows[next]?.focus()
  rows[next]?.scrollIntoView({ block: 'nearest' })
}

async function copyRow(): Promise<void> {
  const id = (document.activeElement as HTMLElement | null)?.dataset['row']
  if (id && !(await writeClipboard(id))) toast.failed(t('Could not copy'))
}

export const SHORTCUTS: readonly { keys: string[]; what: string }[] = [
  { keys: ['Ctrl', 'K'], what: t('Open the command palette (⌘ K on a Mac)') },
  { keys: ['/'], what: t('Go to the filter of the list') },
  { keys: ['j'], what: t('Next row (also ↓)') },
  { keys: ['k'], what: t('Previous row (also ↑)') },
  { keys: ['Enter'], what: t('Open the row') },
  { keys: ['c'], what: t('Copy the id of the row') },
  { keys: ['r'], what: t('Resend the open delivery (asks first)') },
  { keys: ['Esc'], what: t('Close the open panel or dialog') },
  { keys: ['?'], what: t('Show this list') },
]
