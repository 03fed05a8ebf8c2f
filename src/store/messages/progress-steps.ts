import { type FailureReason, type MessageState, mayFollow } from '../../domain/message.ts'
import type { NewEvent } from '../events/events.ts'

/** A step in the life of a message with its event, which is published only for the first of its kind. */
export interface ProgressStep {
  messageId: string
  accountId: string
  state: Extract<MessageState, 'sent' | 'failed' | 'delivered' | 'read' | 'played'>
  /** The recipient; empty for `sent` and `failed`. */
  recipient: string
  atMs: number
  event: NewEvent
  serverId: number | null
  reason: FailureReason | null
  detail: string | null
}

/** The stored state of a message. */
export interface KnownMessage {
  state: MessageState
  /** The number of published receipts. */
  receipts: number
  changed: boolean
  serverId: number | null
  reason: FailureReason | null
  detail: string | null
}

export const isReceipt = ({ recipient }: ProgressStep): boolean => recipient !== ''

/** The steps that the message's state allows, each after the effect of the ones before it: no step follows an end. */
export function allowedSteps(
  steps: ProgressStep[],
  known: ReadonlyMap<string, Pick<KnownMessage, 'state'>>,
): Set<ProgressStep> {
  const states = new Map([...known].map(([id, { state }]) => [id, state]))
  const allowed = new Set<ProgressStep>()
  for (const step of steps) {
    const state = states.get(step.messageId)
    if (state === undefined || state === 'failed' || state === 'cancelled') continue
    if (step.state === 'failed' && state !== 'queued' && state !== 'scheduled') continue
    allowed.add(step)
    if (mayFollow(state, step.state)) states.set(step.messageId, step.state)
  }
  return allowed
}

export function advance(known: KnownMessage, step: ProgressStep): void {
  if (isReceipt(step)) known.receipts++
  known.serverId = step.serverId ?? known.serverId
  known.changed = true
  if (!mayFollow(known.state, step.state)) return
  known.state = step.state
  known.reason = step.reason
  known.detail = step.detail
}

export const stepName = (messageId: string, state: string, recipient: string): string =>
  `${messageId}\n${state}\n${recipient}`

/** The first of each (message, state, recipient), by its name. */
export function firstOfEach(steps: Iterable<ProgressStep>): Map<string, ProgressStep> {
  const byName = new Map<string, ProgressStep>()
  for (const step of steps) {
    const name = stepName(step.messageId, step.state, step.recipient)
    if (!byName.has(name)) byName.set(name, step)
  }
  return byName
}
