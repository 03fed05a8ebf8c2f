import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { errorText } from '../error-text.ts'
import { Button, IconButton } from './button.tsx'
import { classes } from './classes.ts'
import { FormError } from './form-error.tsx'
import { useModal } from './use-modal.ts'
import { t } from '../t.ts'

/** Focuses a field or a secret, else the button that changes nothing; never the close button. */
const FIRST_FOCUS = 'input:not([type="hidden"], [hidden]), select, textarea, [data-secret] + button, footer button'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
  wide?: boolean
  /** Only its buttons close it: neither Escape nor a cross hides a value that is shown once. */
  mustAnswer?: boolean
}

/** A modal of the browser itself: it keeps the focus inside, and Escape closes it. Shown while it is mounted. */
export function Dialog({ title, onClose, children, footer, wide, mustAnswer = false }: DialogProps) {
  const ref = useModal()
  const id = useId()
  useEffect(() => ref.current?.querySelector<HTMLElement>(FIRST_FOCUS)?.focus(), [ref])
  useEffect(() => {
    // The element that had the focus may no longer exist.
    if (document.activeElement === document.body) ref.current?.querySelector<HTMLElement>(FIRST_FOCUS)?.focus()
  })
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        if (!mustAnswer) onClose()
      }}
      // A browser lets a page block one request to close, and closes at the next.
      onClose={() => {
        if (!ref.current?.isConnected || ref.current.open) return
        if (mustAnswer) ref.current.showModal()
        else onClose()
      }}
      onKeyDown={event => {
        event.stopPropagation()
        if (mustAnswer && event.key === 'Escape') event.preventDefault()
      }}
      className={classes(
        'max-h-[min(85dvh,760px)] w-[calc(100vw-32px)] overflow-hidden rounded-xl border bg-surface p-0 shadow-2xl',
        wide ? 'max-w-3xl' : 'max-w-lg',
      )}
    >
      <div className="flex max-h-[inherit] flex-col">
        <header className="flex items-center justify-between gap-4 border-b px-5 py-3.5">
          <h2 id={id} className="min-w-0 text-base font-semibold break-words">
            {title}
          </h2>
          {!mustAnswer && <IconButton label={t('Close')} icon={X} onClick={onClose} />}
        </header>
        <div className="min-h-0 overflow-y-auto px-5 py-4" tabIndex={-1}>
          {children}
        </div>
        {footer && <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3.5">{footer}</footer>}
      </div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  /** What happens, and whether it can be undone. */
  children: ReactNode
  action: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
  danger?: boolean
}

/** The confirmation before an action that cannot be undone. */
export function Confirm({ title, children, action, onConfirm, onClose, danger }: ConfirmProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const confirm = async () => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      onClose()
    } catch (cause) {
      setError(errorText(cause))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('Go back')}</Button>
          <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      <div className="space-y-2 leading-relaxed">{children}</div>
      {error && <FormError className="mt-3">{error}</FormError>}
    </Dialog>
  )
}
