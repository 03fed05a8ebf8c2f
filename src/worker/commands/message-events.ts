import { makeEvent } from '../../actions/make-event.ts'
import type { Context } from '../../context.ts'
import type { ReceiptEvent, StatusEvent } from '../../domain/event.ts'
import { jidKind } from '../../domain/jid.ts'
import type { FailureReason } from '../../domain/message.ts'
import type { PlatformReceipt } from '../../platform/platform.ts'
import type { ProgressStep } from '../../store/messages/progress-steps.ts'
import type { SentMessage } from '../../store/messages/sent-messages.ts'

type Deps = Pick<Context, 'seal'>

/** The message that a step is about. */
export interface Subject {
  messageId: string
  accountId: string
  sessionId: string
  requestId: string
  platformId: string
  to: string
}

const seconds = (ms: number): number => Math.floor(ms / 1000)

export function sentStep(deps: Deps, subject: Subject, atMs: number, serverId: number | null): ProgressStep {
  const event: StatusEvent = {
    ...statusFields(subject),
    messenger_message_id: subject.platformId,
    to: subject.to,
    status: 'sent',
    ...(serverId !== null && { server_id: serverId }),
    timestamp_unix: seconds(atMs),
  }
  return { ...step(subject, 'sent', '', atMs), serverId, event: makeEvent(deps, subject.accountId, event) }
}

export function failedStep(
  deps: Deps,
  subject: Subject,
  atMs: number,
  failure: { reason: FailureReason; detail: string },
): ProgressStep {
  const event: StatusEvent = {
    ...statusFields(subject),
    to: subject.to,
    status: 'failed',
    reason: failure.reason,
    ...(failure.detail !== '' && { detail: failure.detail }),
    timestamp_unix: seconds(atMs),
  }
  return { ...step(subject, 'failed', '', atMs), ...failure, event: makeEvent(deps, subject.accountId, event) }
}

/**
 * The steps that a receipt implies: its own, and before it those that must have happened but were not reported, with the
 * same time. The store skips steps that it knows already.
 */
export function receiptSteps(
  deps: Deps,
  sessionId: string,
  message: SentMessage,
  receipt: PlatformReceipt,
): ProgressStep[] {
  const subject: Subject = { ...message, messageId: message.id, sessionId, to: message.recipient }
  const kind = jidKind(message.recipient)
  const isDirect = kind === 'user' || kind === 'lid'
  const recipient = isDirect ? message.recipient : receipt.recipientJid
  const steps: ProgressStep[] = []
  if (message.state === 'queued' || message.state === 'scheduled') {
    steps.push(sentStep(deps, subject, receipt.atMs, null))
  }
  const isDelivered = isDirect && ['delivered', 'read', 'played'].includes(message.state)
  if (receipt.type !== 'delivered' && !isDelivered) {
    steps.push(receiptStep(deps, subject, recipient, 'delivered', receipt.atMs))
  }
  steps.push(receiptStep(deps, subject, recipient, receipt.type, receipt.atMs))
  return steps
}

function receiptStep(
  deps: Deps,
  subject: Subject,
  recipient: string,
  type: PlatformReceipt['type'],
  atMs: number,
): ProgressStep {
  const event: ReceiptEvent = {
    kind: 'receipt',
    session_id: subject.sessionId,
    request_id: subject.requestId,
    messenger_message_id: subject.platformId,
    recipient_jid: recipient,
    receipt_type: type,
    timestamp_unix: seconds(atMs),
  }
  return { ...step(subject, type, recipient, atMs), event: makeEvent(deps, subject.accountId, event) }
}

const statusFields = (subject: Subject) => ({
  kind: 'status' as const,
  session_id: subject.sessionId,
  request_id: subject.requestId,
  message_id: subject.messageId,
})

const step = (subject: Subject, state: ProgressStep['state'], recipient: string, atMs: number) => ({
  messageId: subject.messageId,
  accountId: subject.accountId,
  state,
  recipient,
  atMs,
  serverId: null,
  reason: null,
  detail: null,
})
