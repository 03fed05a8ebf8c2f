import type { DeliveryStatus, MessageState, SessionState } from '../api/records.ts'
import { Status, type Tone } from '../ui/status.tsx'

const SESSION: Record<SessionState, [Tone, string]> = {
  connected: ['good', 'Connected'],
  connecting: ['waiting', 'Connecting'],
  disconnected: ['bad', 'Disconnected'],
  logged_out: ['bad', 'Logged out'],
}
const DELIVERY: Record<DeliveryStatus, [Tone, string]> = {
  delivered: ['good', 'Delivered'],
  pending: ['calm', 'Pending'],
  failed: ['waiting', 'Retrying'],
  dead: ['bad', 'Dead letter'],
}
const MESSAGE: Record<MessageState, [Tone, string]> = {
  scheduled: ['calm', 'Scheduled'],
  queued: ['calm', 'Queued'],
  sent: ['waiting', 'Sent'],
  delivered: ['good', 'Delivered'],
  read: ['good', 'Read'],
  played: ['good', 'Played'],
  failed: ['bad', 'Failed'],
  cancelled: ['off', 'Cancelled'],
}

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
