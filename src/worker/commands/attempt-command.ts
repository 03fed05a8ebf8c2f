import type { SessionCommand } from '../../domain/command.ts'
import type { Failure } from '../../domain/failure.ts'
import { randomFraction } from '../../runtime/random.ts'
import { afterSendFailure } from '../../domain/send-retry.ts'
import type { Store } from '../../store/store.ts'
import type { DueCommand, DueFollowUp } from '../../store/commands/command-queue.ts'
import { type Execute, failureOf } from '../execute.ts'
import { type HeldLease, LeaseLost } from '../hold.ts'
import type { HostDeps } from '../deps.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import { acknowledged, type CommandEnd, failed, targetOver } from './command-end.ts'
import { openCommand } from './open-command.ts'

/** What became of one attempt. An end is still to be recorded. */
export type Attempted =
  | { next: 'ended'; end: CommandEnd }
  | { next: 'retry'; delayMs: number }
  | { next: 'wait_for_link' }
  /** It was cancelled before anybody began. */
  | { next: 'gone' }

/** What metrics, the log and spans tell of it. */
export const outcomeOf = (attempted: Attempted): string =>
  attempted.next === 'ended' ? attempted.end.outcome : attempted.next

export interface Attempt {
  due: DueCommand
  /** 1 for the first. */
  attempt: number
  execute: Execute
  stopping: AbortSignal
}

/** The platform judges a late ack itself: it asks for what it needs before that, and whether anybody is there after. */
const ACK_TIMEOUTS = 3
/** Media is fetched and uploaded before it can be acknowledged. */
const MEDIA_EXTRA_MS = 150_000
const NO_CONTENT = { reason: 'SEND_FAILED', detail: 'the content is no longer kept' } as const

type AttemptDeps = Omit<HostDeps, 'store' | 'metrics'> & { store: Pick<Store, 'commands' | 'messages'> }

/** One attempt of a send, an edit or a revoke, up to the platform's ack. */
export async function attemptCommand(deps: AttemptDeps, hold: HeldLease, attempted: Attempt): Promise<Attempted> {
  const { due, attempt, execute, stopping } = attempted
  const { lease } = hold
  const begun = await hold.commit(() => deps.store.commands.beginAttempt({ lease, commandId: due.id, attempt }))
  if (begun === 'gone') return { next: 'gone' }
  if (due.kind !== 'send' && (await isTargetOver(deps, due))) return { next: 'ended', end: targetOver(due) }
  try {
    const command = openCommand(deps, due)
    if (command === undefined) return { next: 'ended', end: failed(deps, due, NO_CONTENT) }
    hold.require()
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
    // While nothing can be written nothing leaves: silence is nobody's word then.
    const isNobodys = failure.kind === 'transient' && !hold.isFresh()
    return afterFailure(deps, due, attempt, isNobodys ? { ...failure, kind: 'link_down' } : failure)
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
  const isMedia = command.kind === 'send' && command.outgoing.content.type === 'media'
  return ACK_TIMEOUTS * config.ackTimeoutMs + (isMedia ? MEDIA_EXTRA_MS : 0)
}
