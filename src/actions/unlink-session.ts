import type { Context } from '../context.ts'
import { foreignSession } from '../domain/errors.ts'
import type { StoredSession } from '../store/units/sessions.ts'
import { callSession } from './call-session.ts'

/** Unlinks the device on the platform, where its link is up, and forgets the number either way. */
export async function unlinkSession(
  parts: Pick<Context, 'store' | 'seal' | 'log'>,
  session: Pick<StoredSession, 'id' | 'accountId' | 'hosted' | 'state'>,
): Promise<void> {
  const number = { sessionId: session.id, accountId: session.accountId }
  if (session.hosted && session.state === 'connected') {
    await callSession(parts, number, { kind: 'unlink' }).catch((error: unknown) =>
      parts.log.warn({ err: error, session: session.id }, 'device could not be unlinked'),
    )
  }
  if (!(await parts.store.forgetSession(number))) throw foreignSession()
}
