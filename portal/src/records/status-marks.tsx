import { Check, CheckCheck, Eye, type LucideIcon, Play } from 'lucide-react'
import type { DeliveryStatus, Endpoint, MessageState, Session, SessionState } from '../api/records.ts'
import { Status, type Tone } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
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

/** A paused number is down because its user wants that; one that is logged out needs more than the end of the pause. */
export function SessionStatus({ session: { state, paused } }: { session: Pick<Session, 'state' | 'paused'> }) {
  const [tone, word] = paused && state !== 'logged_out' ? (['off', t('Paused')] as const) : SESSION[state]
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

type EndpointHealth = Pick<Endpoint, 'active' | 'failing_since' | 'switched_off_at'>

/** The gateway switches an endpoint off after days of failures; its user can too. */
export function EndpointStatus({ endpoint: { active, failing_since, switched_off_at } }: { endpoint: EndpointHealth }) {
  if (!active && switched_off_at !== null) return <Status tone="bad">{t('Switched off')}</Status>
  if (!active) return <Status tone="off">{t('Inactive')}</Status>
  if (failing_since === null) return <Status tone="good">{t('Healthy')}</Status>
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <Status tone="bad">{t('Failing')}</Status>
      <span className="text-muted" title={t('The first failure')}>
        <Time at={failing_since} />
      </span>
    </span>
  )
}
export function MessageStatus({ state }: { state: MessageState }) {
  const [tone, word, icon] = MESSAGE[state]
  return (
    <Status tone={tone} icon={icon}>
      {word}
    </Status>
  )
}
