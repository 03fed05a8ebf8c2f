import type { CommandResult, SessionRequest } from '../../domain/command.ts'
import type { Answer } from '../../domain/request.ts'
import { aboutRequest } from '../../domain/sealed.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingRequest } from '../../store/units/requests/requests.ts'
import { type Execute, failureOf } from '../execute.ts'
import type { Hold } from '../hold.ts'
import type { HostParts } from '../parts.ts'
import { withDeadline } from '../../within.ts'

export interface RequestParts extends Pick<HostParts, 'clock' | 'seal' | 'log'> {
  store: Pick<Store, 'hosting'>
  hold: Hold
  link: {
    readonly isUp: boolean
    execute: Execute
    restart(): void
    unlink(): Promise<void>
  }
  /** Those that are in the store are made as soon as there is a link. */
  subscriptions: { owe(): void }
}

const TIMEOUT_MS = 9_000
const UNREADABLE: Answer<never> = { ok: false, failure: { kind: 'transient', detail: 'the command has no body' } }

/** Does what a number is asked for, and answers what came of it. */
export async function performRequest(
  parts: RequestParts,
  waiting: WaitingRequest,
  stopping: AbortSignal,
): Promise<Answer<CommandResult>> {
  const request = open(parts, waiting)
  if (request === undefined) return UNREADABLE
  try {
    return { ok: true, value: await perform(parts, request, stopping) }
  } catch (error) {
    return { ok: false, failure: failureOf(parts, error) }
  }
}

function open({ seal, log, hold }: RequestParts, { id, sealed }: WaitingRequest): SessionRequest | undefined {
  try {
    return seal.openJson<SessionRequest>(sealed, aboutRequest(id))
  } catch (error) {
    log.error({ session: hold.sessionId, request: id, err: error }, 'session_request.unreadable')
    return undefined
  }
}

const DONE: CommandResult = { kind: 'done' }

async function perform(parts: RequestParts, request: SessionRequest, stopping: AbortSignal): Promise<CommandResult> {
  switch (request.kind) {
    case 'restart':
      parts.link.restart()
      return DONE
    case 'unlink':
      // It ends the session, and is not ended with it.
      await withDeadline(parts.clock, TIMEOUT_MS, () => parts.link.unlink(), new AbortController().signal)
      return DONE
    case 'presence_subscribe':
      return await subscribe(parts, request, stopping)
    default:
      return await withDeadline(parts.clock, TIMEOUT_MS, signal => parts.link.execute(request, signal), stopping)
  }
}

async function subscribe(
  parts: RequestParts,
  request: Extract<SessionRequest, { kind: 'presence_subscribe' }>,
  stopping: AbortSignal,
): Promise<CommandResult> {
  const { clock, store, hold, link, subscriptions } = parts
  await store.hosting.addSubscription({ sessionId: hold.sessionId, contactJid: request.contactJid })
  if (!link.isUp) {
    subscriptions.owe()
    return DONE
  }
  const making = withDeadline(clock, TIMEOUT_MS, signal => link.execute(request, signal), stopping)
  // It is in the store, so it is to be made, whatever the asker hears.
  void making.catch(() => subscriptions.owe())
  return await making
}
