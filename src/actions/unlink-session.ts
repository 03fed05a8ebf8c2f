import type { Context } from '../context.ts'
import type { StoredSession } from '../store/units/sessions.ts'
import { callSession } from './call-session.ts'

/** Unlinks the device on the platform, where its link is up, and forgets the number either way. */
export async function unlinkSession(
  parts: Pick<Context, 'store' | 'seal' | 'log'>,
  session: Pick<StoredSession, 'id' | 'hosted' | 'state'>,
): Promise<void> {
  if (session.hosted && session.state === 'connected') {
    await callSession(parts, session.id, { kind: 'unlink' }).catch((error: unknown) =>
      parts.log.warn({ err: error, session: session.id }, 'device could not be unlinked'),
    )
  }
  await parts.store.forgetSession(session.id)
}
