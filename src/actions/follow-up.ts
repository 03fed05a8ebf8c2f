import type { Context } from '../context.ts'
import { messageLimitsOf } from '../domain/account.ts'
import type { FollowUpCommand } from '../domain/command.ts'
import { foreignSession, type GatewayError, messageRefused, notFound, wrongState } from '../domain/errors.ts'
import { makeId, makePlatformId } from '../domain/ids.ts'
import { jidKind } from '../domain/jid.ts'
import type { Message } from '../domain/message.ts'
import { aboutCommand } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'
import type { MessageLimits } from '../store/messages/message-meters.ts'
import type { QueuedFollowUp } from '../store/messages/messages.ts'
import { tracedCommit, type TracedDeps } from '../observability/tracing/traced-commit.ts'

const STATUS_POST_MS = 86_400_000

type Change = { kind: 'edit'; text: string } | { kind: 'revoke' }

/** Queues an edit or a revoke of a message, behind the other commands for the same recipient. */
export async function followUp(
  deps: Pick<Context, 'clock' | 'seal'> & TracedDeps & { store: Pick<Store, 'accounts' | 'messages'> },
  message: Message,
  change: Change,
  trace: string | null = null,
): Promise<void> {
  const { store, seal, clock } = deps
  const sentMs = Math.max(message.createdAt, message.sendAt ?? 0)
  if (jidKind(message.to) === 'status' && clock.now().getTime() > sentMs + STATUS_POST_MS)
    throw wrongState(`message is gone: a status post lasts a day, nothing to ${change.kind}`)
  const limits = messageLimitsOf((await store.accounts.getAccount(message.accountId))!)
  // The command of a send has its message's id: with ids of the same kind, commands of one moment keep their order.
  const commandId = makeId('msg')
  const command: FollowUpCommand = {
    ...change,
    messageId: message.id,
    platformId: makePlatformId(),
    targetPlatformId: message.platformId,
    to: message.to,
  }
  const { accountId } = message
  const { kind } = change
  const sealed = seal.sealJson(command, aboutCommand(commandId))
  const queued = await tracedCommit(deps, { trace, commandId, kind, accountId }, traceparent =>
    store.messages.enqueueFollowUp({ commandId, accountId, limits, kind, messageId: message.id, sealed, traceparent }),
  )
  if (queued.kind !== 'queued') throw followUpError(queued, change.kind, limits)
}

function followUpError(
  queued: Exclude<QueuedFollowUp, { kind: 'queued' }>,
  kind: Change['kind'],
  limits: MessageLimits,
): GatewayError {
  switch (queued.kind) {
    case 'unknown':
      return notFound('message')
    case 'over':
      return wrongState(`message is ${queued.state}: nothing to ${kind}`)
    case 'foreign':
      return foreignSession()
    case 'too_often':
      return wrongState(`a message can be ${kind}${kind === 'edit' ? 'ed' : 'd'} ${queued.most} times at most`)
    case 'limited':
      return messageRefused(queued, limits)
    default: {
      const never: never = queued
      return never
    }
  }
}
