import type { ReactNode } from 'react'
import { useModal } from './use-modal.ts'

/** Slides in from the left over the page, on screens without room beside it. */
export function Drawer({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  const ref = useModal()
  return (
    <dialog
      ref={ref}
      aria-label={label}
      onCancel={onClose}
      onClick={event => event.target === ref.current && onClose()}
      className="m-0 h-dvh max-h-none w-[260px] max-w-[85vw] border-r bg-surface p-0"
    >
      {children}
    </dialog>
  )
}
