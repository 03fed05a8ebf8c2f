import type { CommandResult, SessionRequest } from '../../domain/command.ts'
import type { Answer } from '../../domain/request.ts'
import { aboutRequest } from '../../domain/sealed.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingRequest } from '../../store/requests/requests.ts'
import { type Execute, failureOf } from '../execute.ts'
import type { HeldLease } from '../held-lease.ts'
import type { HostDeps } from '../deps.ts'
import { withDeadline } from '../../runtime/deadline.ts'

export interface RequestDeps extends Pick<HostDeps, 'clock' | 'seal' | 'log'> {
  store: Pick<Store, 'sessions'>
  heldLease: HeldLease
  link: {
    readonly isUp: boolean
    execute: Execute
    restart(): void
    unlink(): Promise<void>
  }
  /** Subscriptions in the store are made as soon as there is a link. */
  subscriptions: { markPending(): void }
}

const TIMEOUT_MS = 9_000
const UNREADABLE: Answer<never> = { ok: false, failure: { kind: 'transient', detail: 'the command has no body' } }

/** Performs a request and returns its result. */
export async function performRequest(
  deps: RequestDeps,
  waiting: WaitingRequest,
  stopping: AbortSignal,
): Promise<Answer<CommandResult>> {
  const request = open(deps, waiting)
  if (request === undefined) return UNREADABLE
  try {
    return { ok: true, value: await perform(deps, request, stopping) }
  } catch (error) {
    return { ok: false, failure: failureOf(deps, error) }
  }
}

function open({ seal, log, heldLease }: RequestDeps, { id, sealed }: WaitingRequest): SessionRequest | undefined {
  try {
    return seal.openJson<SessionRequest>(sealed, aboutRequest(id))
  } catch (error) {
    log.error({ session: heldLease.sessionId, request: id, err: error }, 'session_request.decrypt_failed')
    return undefined
  }
}

const DONE: CommandResult = { kind: 'done' }

async function perform(deps: RequestDeps, request: SessionRequest, stopping: AbortSignal): Promise<CommandResult> {
  switch (request.kind) {
    case 'restart':
      deps.link.restart()
      return DONE
    case 'unlink':
      // Unlinking ends the session, and must not be aborted with it.
      await withDeadline(deps.clock, TIMEOUT_MS, () => deps.link.unlink(), new AbortController().signal)
      return DONE
    case 'presence_subscribe':
      return await subscribe(deps, request, stopping)
    default:
      return await withDeadline(deps.clock, TIMEOUT_MS, signal => deps.link.execute(request, signal), stopping)
  }
}

async function subscribe(
  deps: RequestDeps,
  request: Extract<SessionRequest, { kind: 'presence_subscribe' }>,
  stopping: AbortSignal,
): Promise<CommandResult> {
  const { clock, store, heldLease, link, subscriptions } = deps
  await store.sessions.addSubscription({ sessionId: heldLease.sessionId, contactJid: request.contactJid })
  if (!link.isUp) {
    subscriptions.markPending()
    return DONE
  }
  const making = withDeadline(clock, TIMEOUT_MS, signal => link.execute(request, signal), stopping)
  // The subscription is stored, so it is made later even if this request fails.
  void making.catch(() => subscriptions.markPending())
  return await making
}
