import type {
  DueCommand,
  DueFollowUp,
  DueSend,
  FollowUpCommand,
  SendCommand,
  SessionCommand,
} from '../../domain/command.ts'
import type { Failure } from '../../domain/failure.ts'
import { MAX_DOCUMENT_BYTES, mediaIdOf, transferMs } from '../../domain/media.ts'
import type { Outgoing } from '../../domain/message.ts'
import { aboutCommand, aboutMessage } from '../../domain/sealed.ts'
import { afterSendFailure } from '../../domain/send-retry.ts'
import { tracesOf } from '../../observability/tracing/kept-traces.ts'
import { PlatformError } from '../../platform/platform.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import { randomFraction } from '../../runtime/random.ts'
import type { Store } from '../../store/store.ts'
import type { HostDeps } from '../deps.ts'
import { type Execute, failureOf } from '../execute.ts'
import { type HeldLease, LeaseLost } from '../held-lease.ts'
import type { TracedDeps } from '../traced-publish.ts'
import { acknowledged, type CommandEnd, failed, targetOver } from './command-end.ts'

/** The result of one attempt. The runner records an end. */
export type Attempted =
  | { next: 'ended'; end: CommandEnd }
  | { next: 'retry'; delayMs: number }
  | { next: 'wait_for_link' }
  /** The command was cancelled before the attempt. */
  | { next: 'gone' }

/** The outcome in metrics, logs and spans. */
export const outcomeOf = (attempted: Attempted): string =>
  attempted.next === 'ended' ? attempted.end.outcome : attempted.next

export interface Attempt {
  due: DueCommand
  /** 1 for the first. */
  attempt: number
  execute: Execute
  stopping: AbortSignal
  /** Contacts may see it typing. */
  showsTyping: boolean
}

/** The platform module has its own ack timeout, and makes a health check after it. */
const ACK_TIMEOUTS = 3
/** Queries and encryption before the send, which the platform module limits to less: a group may have 1,000 members. */
const PREPARE_MS = 150_000
/** Media is fetched and uploaded before it can be acknowledged. */
const MEDIA_EXTRA_MS = 150_000
const NO_CONTENT = { reason: 'SEND_FAILED', detail: 'the content is no longer kept' } as const

type AttemptDeps = Omit<HostDeps, 'store' | 'metrics'> & { store: Pick<Store, 'commands' | 'messages'> }

/** A typing sign that is not repeated disappears after this time. */
const TYPING_REPEAT_MS = 10_000
const TYPING_TIMEOUT_MS = 9_000

/** Shows the typing sign that the message asks for, and hides it before the message is sent. Without the sign it is sent too. */
async function showTyping(
  { clock }: Pick<AttemptDeps, 'clock'>,
  { execute, stopping }: Attempt,
  { to, outgoing: { content, typingMs = 0 } }: SendCommand,
): Promise<void> {
  if (typingMs === 0) return
  const media = content.type === 'media' && content.mediaType === 'voice' ? 'audio' : 'text'
  const show = (typing: boolean): Promise<unknown> =>
    withDeadline(
      clock,
      TYPING_TIMEOUT_MS,
      signal => execute({ kind: 'typing', chatJid: to, typing, media }, signal),
      stopping,
    ).catch(() => {})
  for (let leftMs = typingMs; leftMs > 0 && !stopping.aborted; leftMs -= TYPING_REPEAT_MS) {
    await show(true)
    await clock.sleep(Math.min(leftMs, TYPING_REPEAT_MS), stopping)
  }
  await show(false)
}

/** One attempt of a send, an edit or a revoke, up to the platform's ack. */
export async function attemptCommand(deps: AttemptDeps, heldLease: HeldLease, attempted: Attempt): Promise<Attempted> {
  const { due, attempt, execute, stopping } = attempted
  const { lease } = heldLease
  const begun = await heldLease.commit(() => deps.store.commands.beginAttempt({ lease, commandId: due.id, attempt }))
  if (begun === 'gone') return { next: 'gone' }
  if (due.kind !== 'send' && (await isTargetOver(deps, due))) return { next: 'ended', end: targetOver(due) }
  try {
    const command = openCommand(deps, due)
    if (command === undefined) return { next: 'ended', end: failed(deps, due, NO_CONTENT) }
    if (command.kind === 'send' && attempt === 1 && attempted.showsTyping) await showTyping(deps, attempted, command)
    heldLease.requireValid()
    const result = await withDeadline(
      deps.clock,
      timeoutOf(deps, command),
      signal => execute(command, signal),
      stopping,
    )
    return { next: 'ended', end: acknowledged(deps, due, result) }
  } catch (error) {
    if (stopping.aborted || error instanceof LeaseLost) throw error
    const failure = failureOf(deps, error)
    // While the database is unreachable no frame is sent: a timeout proves nothing here.
    const isUnproven = failure.kind === 'transient' && !heldLease.isHeard()
    return afterFailure(deps, due, attempt, isUnproven ? { ...failure, kind: 'link_down' } : failure)
  }
}

function afterFailure(deps: AttemptDeps, due: DueCommand, attempt: number, failure: Failure): Attempted {
  const after = afterSendFailure({ failure, attempt, delaysMs: deps.config.sendRetryDelaysMs, random: randomFraction })
  return after.next === 'failed' ? { next: 'ended', end: failed(deps, due, after) } : after
}

async function isTargetOver({ store }: Pick<AttemptDeps, 'store'>, due: DueFollowUp): Promise<boolean> {
  const target = await store.messages.getMessage(due.messageId)
  return target === undefined || target.state === 'failed' || target.state === 'cancelled'
}

function timeoutOf({ config }: Pick<HostDeps, 'config'>, command: SessionCommand): number {
  return PREPARE_MS + ACK_TIMEOUTS * config.ackTimeoutMs + (command.kind === 'send' ? mediaMs(command.outgoing) : 0)
}

/** The platform module limits the upload of a stored document by its size, which is not known here. */
function mediaMs({ content }: Outgoing): number {
  if (content.type === 'carousel')
    return MEDIA_EXTRA_MS * content.cards.filter(({ picture }) => picture !== null).length
  if (content.type !== 'media') return 0
  const isLarge = content.mediaType === 'document' && mediaIdOf(content.url) !== undefined
  return MEDIA_EXTRA_MS + (isLarge ? transferMs(MAX_DOCUMENT_BYTES) : 0)
}

/** The queued command; `undefined` if its content was deleted. Throws if it cannot be decrypted. */
function openCommand(
  { seal, log }: Pick<HostDeps, 'seal' | 'log'>,
  due: DueCommand,
): SendCommand | FollowUpCommand | undefined {
  try {
    return due.kind === 'send' ? openSend(seal, due) : seal.openJson<FollowUpCommand>(due.sealed, aboutCommand(due.id))
  } catch (error) {
    log.error({ session: due.sessionId, command: due.id, err: error }, 'command.decrypt_failed')
    throw new PlatformError({ kind: 'transient', detail: 'the content could not be opened' })
  }
}

function openSend(seal: HostDeps['seal'], due: DueSend): SendCommand | undefined {
  const { messageId, platformId, recipient: to, content } = due
  if (content === null) return undefined
  return {
    kind: 'send',
    messageId,
    platformId,
    to,
    outgoing: seal.openJson<Outgoing>(content, aboutMessage(messageId)),
  }
}

export type Traced = Attempted & { traceId?: string }

const SUCCEEDED = new Set(['sent', 'done'])

/** Runs one attempt in a span of its request's trace. The wait before the first attempt has a separate span. */
export async function tracedAttempt(
  deps: TracedDeps,
  due: DueCommand,
  attempt: number,
  run: () => Promise<Attempted>,
): Promise<Traced> {
  const { tracing } = deps
  if (tracing === null) return await run()
  const parent = (await tracesOf(deps, [due.id])).get(due.id)
  const attributes = {
    'postern.account': due.accountId ?? undefined,
    'postern.command': due.id,
    'postern.message': due.messageId,
    'postern.kind': due.kind,
  }
  if (attempt === 1) tracing.begin({ name: 'message.queue', parent, atMs: due.dueAt, attributes }).end()
  const attempted = { ...attributes, 'postern.attempt': attempt }
  const span = tracing.begin({ name: 'message.send', kind: 'client', parent, attributes: attempted })
  try {
    const result = await run()
    const outcome = outcomeOf(result)
    span.end({ 'postern.outcome': outcome }, SUCCEEDED.has(outcome) ? undefined : outcome)
    return { ...result, traceId: span.traceId }
  } catch (error) {
    span.end({}, 'cut_off')
    throw error
  }
}
