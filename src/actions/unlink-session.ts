import type { Context } from '../context.ts'
import { foreignSession } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { StoredSession } from '../store/sessions/sessions.ts'
import { type RequestDeps, sendSessionRequest, queueSandboxRequest } from './send-request.ts'

const UNLINKED = 'the number was unlinked'

/** Unlinks the device on the platform if its link is up, and deletes the number in any case. */
export async function unlinkSession(
  deps: RequestDeps & Pick<Context, 'log'> & { store: Pick<Store, 'sessions'> },
  session: Pick<StoredSession, 'id' | 'accountId' | 'hosted' | 'state' | 'platform' | 'phone'>,
): Promise<void> {
  const number = { sessionId: session.id, accountId: session.accountId }
  if (session.hosted && session.state === 'connected') {
    await sendSessionRequest(deps, number, { kind: 'unlink' }).catch((error: unknown) =>
      deps.log.warn({ err: error, session: session.id }, 'session.unlink_failed'),
    )
  }
  const forgotten = { ...number, detail: UNLINKED }
  while (await deps.store.sessions.clearNumber(forgotten));
  if (!(await deps.store.sessions.forgetSession(forgotten))) throw foreignSession()
  // Its link may have been down: the sandbox's simulated phone must not keep the device.
  if (session.platform !== 'sandbox') return
  const logOut = { kind: 'action', phone: session.phone, action: { action: 'log_out' } } as const
  await queueSandboxRequest(deps, logOut).catch((error: unknown) =>
    deps.log.warn({ err: error, session: session.id }, 'sandbox.notify_failed'),
  )
}
