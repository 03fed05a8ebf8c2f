import type { FollowUpCommand, SendCommand } from '../../domain/command.ts'
import type { Outgoing } from '../../domain/message.ts'
import { PlatformError } from '../../platform/platform.ts'
import { aboutCommand, aboutMessage } from '../../domain/sealed.ts'
import type { DueCommand, DueSend } from '../../store/commands/command-queue.ts'
import type { HostDeps } from '../deps.ts'

/** The command that was queued; `undefined` where its content is gone. Throws where it cannot be opened here. */
export function openCommand(
  { seal, log }: Pick<HostDeps, 'seal' | 'log'>,
  due: DueCommand,
): SendCommand | FollowUpCommand | undefined {
  try {
    return due.kind === 'send' ? openSend(seal, due) : seal.openJson<FollowUpCommand>(due.sealed, aboutCommand(due.id))
  } catch (error) {
    log.error({ session: due.sessionId, command: due.id, err: error }, 'command.unreadable')
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
