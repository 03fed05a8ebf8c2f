import type { Context } from '../context.ts'
import type { CallAnswer } from '../domain/call.ts'
import type { Command, CommandResult } from '../domain/command.ts'
import { GatewayError, invalid, notHosted } from '../domain/errors.ts'
import { makeId } from '../domain/ids.ts'
import { aboutCommand } from '../domain/sealed.ts'
import { listenForAnswer } from './await-answer.ts'

const TIMEOUT_MS = 10_000

/** A session, and the account that it has to be of. */
export interface OwnNumber {
  sessionId: string
  accountId: string
}

/**
 * Has the session's worker run a command, wherever it is, and answers what came of it. Throws 409 where the session is
 * not hosted or its link is down, 400 where the platform refuses, 502 where no answer came in time.
 */
export async function callSession(
  parts: Pick<Context, 'store' | 'seal' | 'clock'>,
  number: OwnNumber,
  command: Command,
  signal?: AbortSignal,
): Promise<CommandResult> {
  const commandId = makeId('cmd')
  const answered = listenForAnswer(parts, commandId)
  await enqueue(parts, number, commandId, command)
  const body = await answered(TIMEOUT_MS, signal)
  if (body === undefined) throw new GatewayError('unavailable', 'the worker did not answer in time')
  const answer = JSON.parse(body) as CallAnswer
  if (answer.ok) return answer.result
  switch (answer.failure.kind) {
    case 'link_down':
      throw notHosted()
    case 'permanent':
      throw invalid(answer.failure.detail)
    case 'transient':
      throw new GatewayError('unavailable', answer.failure.detail)
    default: {
      const never: never = answer.failure
      return never
    }
  }
}

/** Has the session's worker run a command; nobody waits for it. */
export async function tellSession(
  parts: Pick<Context, 'store' | 'seal' | 'clock'>,
  number: OwnNumber,
  command: Command,
): Promise<void> {
  await enqueue(parts, number, makeId('cmd'), command)
}

async function enqueue(
  { store, seal }: Pick<Context, 'store' | 'seal' | 'clock'>,
  { sessionId, accountId }: OwnNumber,
  commandId: string,
  command: Command,
): Promise<void> {
  const sealed = seal.sealJson(command, aboutCommand(commandId))
  await store.sessions.enqueueCall({
    commandId,
    sessionId,
    accountId,
    kind: command.kind,
    sealed,
    timeoutMs: TIMEOUT_MS,
  })
}
