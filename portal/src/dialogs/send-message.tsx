import { lazy, Suspense } from 'react'
import type { Session } from '../api/records.ts'

const SendDialog = lazy(() => import('./send-dialog.tsx').then(module => ({ default: module.SendDialog })))

/** The dialog is loaded when the user wants to send: most visits do not need it. */
export const SendMessage = (asked: { session: Session; onClose: () => void }) => (
  <Suspense fallback={null}>
    <SendDialog {...asked} />
  </Suspense>
)
