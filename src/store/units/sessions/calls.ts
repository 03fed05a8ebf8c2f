import { BOUNDS } from '../../../domain/bounds.ts'
import type { CommandKind } from '../../../domain/command.ts'
import { foreignSession, GatewayError } from '../../../domain/errors.ts'
import type { Reader, Tx } from '../../tx.ts'

export interface NewCall {
  commandId: string
  sessionId: string
  accountId: string
  kind: CommandKind
  sealed: Uint8Array
  /** After this the caller has gone: the command is dropped unexecuted. */
  timeoutMs: number
}

/** A command whose answer a request awaits; each has a queue of its own, so it waits for no message. */
export async function enqueueCall(tx: Tx, call: NewCall): Promise<void> {
  const own = `select 1 as own from sessions where id = ? and account_id = ?${tx.forUpdate}`
  if ((await tx.get(own, call.sessionId, call.accountId)) === undefined) throw foreignSession()
  await requireFewWaiting(tx, call.sessionId)
  await tx.insert('commands', [
    {
      id: call.commandId,
      session_id: call.sessionId,
      queue: call.commandId,
      kind: call.kind,
      sealed: call.sealed,
      attempt: 0,
      due_at: tx.nowMs,
      created_at: tx.nowMs,
      expires_at: tx.nowMs + call.timeoutMs,
    },
  ])
  tx.notify({ about: 'commands', sessionId: call.sessionId })
}

/** The number's row is locked here: many who ask at once never have more waiting together. */
async function requireFewWaiting(tx: Tx, sessionId: string): Promise<void> {
  const max = BOUNDS.waitingCalls
  const { n } = (await tx.get<{ n: number }>(
    'select count(*) as n from commands where session_id = ? and expires_at is not null and expires_at > ?',
    sessionId,
    tx.nowMs,
  ))!
  if (n < max) return
  const message = `at most ${max} calls of a number may wait for its worker; wait until some are answered`
  throw new GatewayError('rate_limited', message, 1_000)
}

const ANSWER_KEPT_MS = 60_000

/** The worker's answer; it ends the command. */
export async function answerCall(tx: Tx, input: { commandId: string; body: string }): Promise<void> {
  await tx.run('delete from commands where id = ?', input.commandId)
  await tx.run('delete from answers where expires_at < ?', tx.nowMs)
  await tx.insert(
    'answers',
    [{ command_id: input.commandId, body: input.body, expires_at: tx.nowMs + ANSWER_KEPT_MS }],
    'on conflict (command_id) do nothing',
  )
  tx.notify({ about: 'answers', requestId: input.commandId })
}

export async function readAnswer(reader: Reader, commandId: string): Promise<string | undefined> {
  return (await reader.get<{ body: string }>('select body from answers where command_id = ?', commandId))?.body
}
