import type { CommandResult, SessionCommand } from '../../../domain/command.ts'
import { PlatformError } from '../../platform.ts'
import { failureOfLibrary, linkDown, Unanswered } from '../errors.ts'
import type { SessionContext } from '../session-context.ts'
import { checkContact, markRead, reactInChannel, showTyping, subscribePresence } from './short-commands.ts'
import { edit, revoke, send } from './send.ts'

/** Runs a command; every failure is a PlatformError. */
export async function execute(
  context: SessionContext,
  command: SessionCommand,
  signal: AbortSignal,
): Promise<CommandResult> {
  const connection = context.link.current()
  try {
    return await run(context, command, signal)
  } catch (error) {
    // An aborted wait proves no failure of the command.
    if (signal.aborted) throw linkDown()
    const failure = error instanceof PlatformError ? error : failureOfLibrary(error, 'the recipient')
    if (failure instanceof Unanswered && !(await connection?.isAnswering())) throw linkDown()
    throw failure
  }
}

async function run(context: SessionContext, command: SessionCommand, signal: AbortSignal): Promise<CommandResult> {
  switch (command.kind) {
    case 'send':
      return send(context, command, signal)
    case 'edit':
      return edit(context, command, signal)
    case 'revoke':
      return revoke(context, command, signal)
    case 'typing':
      return showTyping(context, command)
    case 'read':
      return markRead(context, command)
    case 'presence_subscribe':
      return subscribePresence(context, command)
    case 'newsletter_react':
      return reactInChannel(context, command)
    case 'contact_check':
      return checkContact(context, command)
    default: {
      const never: never = command
      return never
    }
  }
}
