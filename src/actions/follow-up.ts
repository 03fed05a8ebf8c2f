import type { Context } from '../context.ts'
import { messageLimitsOf } from '../domain/account.ts'
import type { Command } from '../domain/command.ts'
import { makeId, makePlatformId } from '../domain/ids.ts'
import type { Message } from '../domain/message.ts'
import { aboutCommand } from '../domain/sealed.ts'

/** Queues an edit or a revoke of a message, behind whatever else waits for the same recipient. */
export async function followUp(
  { store, seal }: Pick<Context, 'store' | 'seal'>,
  message: Message,
  change: { kind: 'edit'; text: string } | { kind: 'revoke' },
): Promise<void> {
  const account = (await store.accounts.getAccount(message.accountId))!
  const commandId = makeId('cmd')
  const command: Command = {
    ...change,
    messageId: message.id,
    platformId: makePlatformId(),
    targetPlatformId: message.platformId,
    to: message.to,
  }
  const sealed = seal.sealJson(command, aboutCommand(commandId))
  await store.messages.enqueueFollowUp({
    commandId,
    accountId: message.accountId,
    limits: messageLimitsOf(account),
    kind: change.kind,
    messageId: message.id,
    sealed,
  })
}
