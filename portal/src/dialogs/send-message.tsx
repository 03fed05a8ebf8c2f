import { lazy, Suspense } from 'react'
import type { Session } from '../api/records.ts'

const SendDialog = lazy(() => import('./send-dialog.tsx').then(module => ({ default: module.SendDialog })))

/** The dialog comes when somebody wants to send: most visits do without it. */
export const SendMessage = (asked: { session: Session; onClose: () => void }) => (
  <Suspense fallback={null}>
    <SendDialog {...asked} />
  </Suspense>
)
