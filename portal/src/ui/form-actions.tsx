import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { t } from '../t.ts'

interface FormActionsProps {
  /** What sends the form. */
  children: ReactNode
  onClose: () => void
  cancel?: string
  busy?: boolean
  disabled?: boolean
  /** The id of the form, if these are not inside it. */
  form?: string
}

/** The last row of a form in a dialog. */
export function FormActions({
  children,
  onClose,
  cancel = t('Cancel'),
  busy = false,
  disabled = false,
  form,
}: FormActionsProps) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onClose}>{cancel}</Button>
      <Button look="primary" type="submit" form={form} busy={busy} disabled={disabled}>
        {children}
      </Button>
    </div>
  )
}
