import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './button.tsx'
import { isTyping } from './shortcuts.ts'
import { t } from '../t.ts'

interface SidePanelProps {
  title: ReactNode
  onClose: () => void
  /** Steps through the list beside it; absent at its ends. */
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  /** Changes when another thing is shown, so that the reader starts at its top. */
  subject: string
  children: ReactNode
  actions?: ReactNode
}

/** Details beside the list that they belong to. The list stays usable; Escape closes, arrows step. */
export function SidePanel({ title, onClose, onPrevious, onNext, subject, children, actions }: SidePanelProps) {
  const ref = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    return () => {
      const back = before instanceof HTMLElement && before !== document.body && before.isConnected ? before : null
      ;(back ?? document.getElementById('main'))?.focus({ preventScroll: true })
    }
  }, [])
  useEffect(() => {
    ref.current?.focus({ preventScroll: true })
    body.current?.scrollTo({ top: 0 })
  }, [subject])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event) || document.querySelector('dialog[open]')) return
      if (event.key === 'Escape') onClose()
      else if (event.key === 'ArrowDown' || event.key === 'j') onNext?.()
      else if (event.key === 'ArrowUp' || event.key === 'k') onPrevious?.()
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
  return (
    <div
      ref={ref}
      role="dialog"
      data-panel
      aria-labelledby={id}
      tabIndex={-1}
      className="enter-panel fixed inset-y-0 right-0 z-30 flex w-full max-w-[540px] flex-col border-l bg-surface shadow-2xl outline-none max-sm:border-l-0"
    >
      <header className="flex items-center gap-1 border-b px-5 py-3">
        <h2 id={id} className="min-w-0 flex-1 truncate text-base font-semibold">
          {title}
        </h2>
        <IconButton label={t('Previous (↑)')} icon={ChevronUp} disabled={!onPrevious} onClick={onPrevious} />
        <IconButton label={t('Next (↓)')} icon={ChevronDown} disabled={!onNext} onClick={onNext} />
        <IconButton label={t('Close (Esc)')} icon={X} onClick={onClose} />
      </header>
      <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
        {children}
      </div>
      {actions && <footer className="flex flex-wrap gap-2 border-t px-5 py-3">{actions}</footer>}
    </div>
  )
}
