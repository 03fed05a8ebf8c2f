import { Check, CheckCheck, Eye, type LucideIcon, Play } from 'lucide-react'
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
const MESSAGE: Record<MessageState, [Tone, string, LucideIcon?]> = {
  scheduled: ['calm', t('Scheduled')],
  queued: ['calm', t('Queued')],
  sent: ['off', t('Sent'), Check],
  delivered: ['off', t('Delivered'), CheckCheck],
  read: ['good', t('Read'), Eye],
  played: ['good', t('Played'), Play],
  failed: ['bad', t('Failed')],
  cancelled: ['off', t('Cancelled')],
}

/** The name of a state of a message; an unknown state keeps its own name. */
export const stateWord = (state: string): string =>
  lookUp(MESSAGE as Record<string, (typeof MESSAGE)[MessageState]>, state)?.[1] ?? state

export function SessionStatus({ state }: { state: SessionState }) {
  const [tone, word] = SESSION[state]
  return <Status tone={tone}>{word}</Status>
}
interface DeliveryMark {
  status: DeliveryStatus
  redelivered_at: string | null
}

/** A dead letter whose event has arrived since needs no action. */
export function DeliveryStatusMark({ delivery: { status, redelivered_at } }: { delivery: DeliveryMark }) {
  const [tone, word] = redelivered_at === null ? DELIVERY[status] : (['off', t('Replayed')] as const)
  return <Status tone={tone}>{word}</Status>
}
export function MessageStatus({ state }: { state: MessageState }) {
  const [tone, word, icon] = MESSAGE[state]
  return (
    <Status tone={tone} icon={icon}>
      {word}
    </Status>
  )
}
