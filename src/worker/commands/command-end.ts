import type { CommandResult, DueCommand, DueFollowUp, DueSend } from '../../domain/command.ts'
import type { FailureReason, FollowUpState } from '../../domain/message.ts'
import type { Store } from '../../store/store.ts'
import type { EndedFollowUp } from '../../store/commands/command-queue.ts'
import type { ProgressStep } from '../../store/messages/progress-steps.ts'
import type { HeldLease } from '../held-lease.ts'
import { logPublished } from '../log-published.ts'
import { tracedPublish, type TracedDeps } from '../traced-publish.ts'
import type { HostDeps } from '../deps.ts'
import { failedStep, sentStep, type Subject } from './message-events.ts'

/** How a command has ended, as it is recorded. `outcome` is its label in metrics and logs. */
export type CommandEnd =
  | { kind: 'message'; outcome: string; commandId: string; step: ProgressStep }
  | { kind: 'follow_up'; outcome: string; ended: Omit<EndedFollowUp, 'lease'> }

type EndDeps = Pick<HostDeps, 'seal' | 'clock'>

/** The platform has acknowledged the command. */
export function acknowledged(deps: EndDeps, due: DueCommand, result: CommandResult): CommandEnd {
  if (due.kind !== 'send') return followUpEnd(due, 'done', null)
  const { atMs, serverId } = result.kind === 'sent' ? result : { atMs: deps.clock.now().getTime(), serverId: null }
  const step = sentStep(deps, subjectOf(due), atMs, serverId)
  return { kind: 'message', outcome: 'sent', commandId: due.id, step }
}

/** The command will not be attempted again. */
export function failed(
  deps: EndDeps,
  due: DueCommand,
  { reason, detail }: { reason: FailureReason; detail: string },
): CommandEnd {
  if (due.kind !== 'send') return followUpEnd(due, reason, `${reason}: ${detail}`)
  const step = failedStep(deps, subjectOf(due), deps.clock.now().getTime(), { reason, detail })
  return { kind: 'message', outcome: reason, commandId: due.id, step }
}

/** The message that an edit or a revoke is about was never sent. */
export const targetOver = (due: DueFollowUp): CommandEnd => followUpEnd(due, 'target_over', 'the message was not sent')

/** `detail` is the reason of a failure. */
function followUpEnd(due: DueFollowUp, outcome: string, detail: string | null): CommandEnd {
  const states = FOLLOW_UP_STATES[due.kind]
  const state = detail === null ? states.done : states.failed
  return { kind: 'follow_up', outcome, ended: { commandId: due.id, messageId: due.messageId, state, detail } }
}

const FOLLOW_UP_STATES: Record<DueFollowUp['kind'], { done: FollowUpState; failed: FollowUpState }> = {
  edit: { done: 'edited', failed: 'edit_failed' },
  revoke: { done: 'revoked', failed: 'revoke_failed' },
}

const subjectOf = (due: DueSend): Subject => ({
  messageId: due.messageId,
  accountId: due.accountId,
  sessionId: due.sessionId,
  requestId: due.requestId,
  platformId: due.platformId,
  to: due.recipient,
})

type RecordDeps = Pick<HostDeps, 'clock' | 'log'> & TracedDeps & { store: Pick<Store, 'commands' | 'messages'> }

/** Records the end and publishes its event. Only for a logged-out number, which no host owns, there is no lease. */
export async function recordEnd(deps: RecordDeps, end: CommandEnd, heldLease: HeldLease | null): Promise<void> {
  const { store, clock } = deps
  const lease = heldLease?.lease ?? null
  const commit = <T>(write: () => Promise<T>) => (heldLease === null ? write() : heldLease.commit(write))
  if (end.kind === 'follow_up') {
    await commit(() => store.commands.endFollowUp({ ...end.ended, lease }))
    return
  }
  const endedAtMs = clock.now().getTime()
  const { commandId, step } = end
  const recorded = await tracedPublish(deps, [step], endedAtMs, () =>
    commit(() => store.messages.recordProgress({ lease, steps: [step], commandId, inboxKey: null })),
  )
  if (recorded.kind === 'done' && recorded.published.length > 0) logPublished(deps, [step.event], endedAtMs)
}
