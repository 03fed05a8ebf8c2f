import type { DeliveryStatus, MessageState, SessionState } from '../api/records.ts'
import { Status, type Tone } from '../ui/status.tsx'
import { lookUp } from '../look-up.ts'
import { t } from '../t.ts'

const SESSION: Record<SessionState, [Tone, string]> = {
  connected: ['good', t('Connected')],
  connecting: ['waiting', t('Connecting')],
  disconnected: ['bad', t('Disconnected')],
  logged_out: ['bad', t('Logged out')],
}
const DELIVERY: Record<DeliveryStatus, [Tone, string]> = {
  delivered: ['good', t('Delivered')],
  pending: ['calm', t('Pending')],
  failed: ['waiting', t('Retrying')],
  dead: ['bad', t('Dead letter')],
}
const MESSAGE: Record<MessageState, [Tone, string]> = {
  scheduled: ['calm', t('Scheduled')],
  queued: ['calm', t('Queued')],
  sent: ['waiting', t('Sent')],
  delivered: ['good', t('Delivered')],
  read: ['good', t('Read')],
  played: ['good', t('Played')],
  failed: ['bad', t('Failed')],
  cancelled: ['off', t('Cancelled')],
}

/** What a state of a message is called; one that is new keeps its own name. */
export const stateWord = (state: string): string =>
  lookUp(MESSAGE as Record<string, [Tone, string]>, state)?.[1] ?? state

export function SessionStatus({ state }: { state: SessionState }) {
  const [tone, word] = SESSION[state]
  return <Status tone={tone}>{word}</Status>
}
export function DeliveryStatusMark({ status }: { status: DeliveryStatus }) {
  const [tone, word] = DELIVERY[status]
  return <Status tone={tone}>{word}</Status>
}
export function MessageStatus({ state }: { state: MessageState }) {
  const [tone, word] = MESSAGE[state]
  return <Status tone={tone}>{word}</Status>
}
