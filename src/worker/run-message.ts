import type { CommandResult, FollowUpCommand, SendCommand, SessionCommand } from '../domain/command.ts'
import type { Failure } from '../domain/failure.ts'
import type { FailureReason, Outgoing } from '../domain/message.ts'
import { aboutMessage, aboutCommand } from '../domain/sealed.ts'
import { afterSendFailure } from '../domain/send-retry.ts'
import { PlatformError } from '../platform/platform.ts'
import type { DueCommand, DueFollowUp, DueSend } from '../store/units/commands/command-queue.ts'
import type { EndedFollowUp } from '../store/units/commands/follow-ups.ts'
import { failedStep, sentStep, type Subject } from './message-events.ts'
import type { HostParts } from './parts.ts'
import { type Hold, LeaseLost } from './hold.ts'
import { TimedOut, within } from './within.ts'

export type Execute = (command: SessionCommand, signal: AbortSignal) => Promise<CommandResult>

/** What became of one attempt. `commit` is still to be made where the command has ended. */
export type Attempted =
  | { next: 'ended'; outcome: string; commit: () => Promise<unknown> }
  | { next: 'retry'; delayMs: number }
  | { next: 'wait_for_link' }
  /** It was cancelled before anybody began. */
  | { next: 'gone' }

/** Media is fetched and uploaded before it can be acknowledged. */
const MEDIA_EXTRA_MS = 150_000

/** One attempt of a send, an edit or a revoke, up to the platform's ack. */
export async function attemptMessage(
  parts: HostParts,
  hold: Hold,
  due: DueCommand,
  execute: Execute,
  stopping: AbortSignal,
): Promise<Attempted> {
  const attempt = due.attempt + 1
  const { lease } = hold
  const begun = await hold.commit(() => parts.store.commands.beginAttempt({ lease, commandId: due.id, attempt }))
  if (begun === 'gone') return { next: 'gone' }
  if (due.kind !== 'send' && (await isTargetOver(parts, due)))
    return followedUp(parts, hold, due, { outcome: 'target_over', detail: 'the message was not sent' })
  const command = openMessage(parts, due)
  if (command === undefined) return failed(parts, hold, due, 'SEND_FAILED', 'the content is no longer kept')
  try {
    hold.require()
    const result = await within(timeoutOf(parts, command), signal => execute(command, signal), stopping)
    return sent(parts, hold, due, result)
  } catch (error) {
    if (stopping.aborted || error instanceof LeaseLost) throw error
    return after(parts, hold, due, attempt, failureOf(parts, error))
  }
}

function after(parts: HostParts, hold: Hold, due: DueCommand, attempt: number, failure: Failure): Attempted {
  const delaysMs = parts.config.sendRetryDelaysMs
  const verdict = afterSendFailure({ failure, attempt, delaysMs, random: Math.random })
  if (verdict.next === 'failed') return failed(parts, hold, due, verdict.reason, verdict.detail)
  return verdict
}

function sent(parts: HostParts, hold: Hold, due: DueCommand, result: CommandResult): Attempted {
  if (due.kind !== 'send') return followedUp(parts, hold, due, { outcome: 'done', detail: null })
  const atMs = result.kind === 'sent' ? result.atMs : parts.clock.now().getTime()
  const serverId = result.kind === 'sent' ? result.serverId : null
  const steps = [sentStep(parts, subjectOf(due), atMs, serverId)]
  const progress = { lease: hold.lease, steps, commandId: due.id, inboxKey: null }
  return {
    next: 'ended',
    outcome: 'sent',
    commit: () => hold.commit(() => parts.store.commands.progress(progress)),
  }
}

/** Ends a message that will not be sent. */
export function failed(
  parts: HostParts,
  hold: Hold,
  due: DueCommand,
  reason: FailureReason,
  detail: string,
): Attempted {
  if (due.kind !== 'send') return followedUp(parts, hold, due, { outcome: reason, detail: `${reason}: ${detail}` })
  const steps = [failedStep(parts, subjectOf(due), parts.clock.now().getTime(), { reason, detail })]
  const progress = { lease: hold.lease, steps, commandId: due.id, inboxKey: null }
  return {
    next: 'ended',
    outcome: reason,
    commit: () => hold.commit(() => parts.store.commands.progress(progress)),
  }
}

/** Ends an edit or a revoke; `detail` says why it did not succeed. */
function followedUp(
  parts: HostParts,
  hold: Hold,
  due: DueFollowUp,
  { outcome, detail }: { outcome: string; detail: string | null },
): Attempted {
  const end = { ...followUpEnd(due, detail), lease: hold.lease }
  return { next: 'ended', outcome, commit: () => hold.commit(() => parts.store.commands.endFollowUp(end)) }
}

/** What the history of a message tells of an edit or a revoke. */
export function followUpEnd(due: DueFollowUp, detail: string | null): Omit<EndedFollowUp, 'lease'> {
  const failed = detail !== null
  const state = due.kind === 'edit' ? (failed ? 'edit_failed' : 'edited') : failed ? 'revoke_failed' : 'revoked'
  return { commandId: due.id, messageId: due.messageId, state, detail }
}

async function isTargetOver({ store }: HostParts, due: DueFollowUp): Promise<boolean> {
  const target = await store.messages.getMessage(due.messageId)
  return target === undefined || target.state === 'failed' || target.state === 'cancelled'
}

type Unseal = Pick<HostParts, 'seal' | 'log'>

/** The command that was queued; `undefined` where its content is gone or cannot be opened. */
function openMessage(parts: Unseal, due: DueCommand): SendCommand | FollowUpCommand | undefined {
  return due.kind === 'send' ? openSend(parts, due) : openFollowUp(parts, due)
}

function openSend(parts: Unseal, due: DueSend): SendCommand | undefined {
  const { messageId, platformId, recipient: to, content } = due
  if (content === null) return undefined
  const outgoing = opened(parts, due, () => parts.seal.openJson<Outgoing>(content, aboutMessage(messageId)))
  return outgoing && { kind: 'send', messageId, platformId, to, outgoing }
}

function openFollowUp(parts: Unseal, due: DueFollowUp): FollowUpCommand | undefined {
  return opened(parts, due, () => parts.seal.openJson<FollowUpCommand>(due.sealed, aboutCommand(due.id)))
}

function opened<T>({ log }: Unseal, due: { sessionId: string; id: string }, open: () => T): T | undefined {
  try {
    return open()
  } catch (error) {
    log.error({ session: due.sessionId, command: due.id, err: error }, 'command.unreadable')
    return undefined
  }
}

function timeoutOf({ config }: HostParts, command: SessionCommand): number {
  const isMedia = command.kind === 'send' && command.outgoing.content.type === 'media'
  return config.ackTimeoutMs + (isMedia ? MEDIA_EXTRA_MS : 0)
}

/** A platform rejects with PlatformError and nothing else; whatever else comes is our own fault, and may pass. */
export function failureOf(parts: Pick<HostParts, 'log'>, error: unknown): Failure {
  if (error instanceof PlatformError) return error.failure
  if (error instanceof TimedOut) return { kind: 'transient', detail: 'the platform did not acknowledge in time' }
  parts.log.error({ err: error }, 'command.broke')
  return { kind: 'transient', detail: 'the gateway could not run the command' }
}

export const subjectOf = (due: DueSend): Subject => ({
  messageId: due.messageId,
  accountId: due.accountId,
  sessionId: due.sessionId,
  requestId: due.requestId,
  platformId: due.platformId,
  to: due.recipient,
})
