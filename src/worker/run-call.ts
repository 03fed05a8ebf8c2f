import type { CallAnswer } from '../domain/call.ts'
import type { CommandResult, RequestCommand } from '../domain/command.ts'
import type { DueRequest } from '../store/units/commands/command-queue.ts'
import type { HostParts } from './parts.ts'
import { type Execute, failureOf, openCommand } from './run-message.ts'
import type { Hold } from './hold.ts'
import { within } from './within.ts'

export interface CallOptions {
  parts: HostParts
  hold: Hold
  execute: Execute
  isLinkOpen: () => boolean
  restart: () => void
  /** The subscriptions in the store are to be made as soon as there is a link. */
  subscribeLater: () => void
  unlink: () => Promise<void>
}

const CALL_TIMEOUT_MS = 9_000

/** Runs a command whose answer a request awaits. Once its caller has gone it is dropped unexecuted. */
export async function runCall(options: CallOptions, due: DueRequest, stopping: AbortSignal): Promise<void> {
  const { parts, hold } = options
  const begun = parts.clock.monotonicMs()
  if (due.expiresAt <= parts.clock.now().getTime()) {
    await hold.commit(() => parts.store.commands.endCommand({ lease: hold.lease, commandId: due.id }))
    parts.metrics.command(due.kind, 'expired')
    return
  }
  const answer = await answerOf(options, due, stopping)
  // Unlinking ends the session, and its caller is to hear of it all the same.
  if (stopping.aborted && due.kind !== 'unlink') return
  await parts.store.commands.answerCall({ commandId: due.id, body: JSON.stringify(answer) })
  const outcome = answer.ok ? 'done' : answer.failure.kind
  const ms = Math.round(parts.clock.monotonicMs() - begun)
  parts.metrics.command(due.kind, outcome)
  parts.log.info({ session: hold.sessionId, command: due.id, kind: due.kind, outcome, ms }, 'command.executed')
}

async function answerOf(options: CallOptions, due: DueRequest, stopping: AbortSignal): Promise<CallAnswer> {
  const command = openCommand<RequestCommand>(options.parts, due)
  if (command === undefined) return { ok: false, failure: { kind: 'transient', detail: 'the command has no body' } }
  try {
    return { ok: true, result: await perform(options, command, stopping) }
  } catch (error) {
    return { ok: false, failure: failureOf(options.parts, error) }
  }
}

async function perform(options: CallOptions, command: RequestCommand, stopping: AbortSignal): Promise<CommandResult> {
  const { parts, hold, execute, isLinkOpen } = options
  if (command.kind === 'restart') {
    options.restart()
    return { kind: 'done' }
  }
  if (command.kind === 'presence_subscribe') {
    await parts.store.hosting.addSubscription({ sessionId: hold.sessionId, contactJid: command.contactJid })
    if (!isLinkOpen()) {
      options.subscribeLater()
      return { kind: 'done' }
    }
  }
  if (command.kind === 'unlink') {
    await within(CALL_TIMEOUT_MS, () => options.unlink(), new AbortController().signal)
    return { kind: 'done' }
  }
  const running = within(CALL_TIMEOUT_MS, signal => execute(command, signal), stopping)
  // It is in the store, so it is to be made, whatever the caller hears.
  if (command.kind === 'presence_subscribe') void running.catch(options.subscribeLater)
  return await running
}
