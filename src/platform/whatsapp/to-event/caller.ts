import type { BinaryNode } from 'baileys'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import type { SessionContext } from '../session-context.ts'

const QUERY_MS = 3_000

/**
 * The caller. The platform sets the sender of the stanza; its content is the caller's own claim, which is used if it
 * names the same person, with the device, or if the number's own device reports the call.
 */
export function callerOf(
  context: Pick<SessionContext, 'sessionId' | 'link'>,
  stanza: BinaryNode,
  info: BinaryNode,
): string {
  const claimed = [info.attrs['call-creator'], info.attrs.from].find(isPerson)
  const { from = '' } = stanza.attrs
  if (!isPerson(from)) return claimed ?? ''
  const isSamePerson = claimed !== undefined && withoutDevice(claimed) === withoutDevice(from)
  return isSamePerson || isOwnName(context, from) ? (claimed ?? from) : from
}

function isOwnName({ sessionId, link }: Pick<SessionContext, 'sessionId' | 'link'>, jid: string): boolean {
  const lid = link.state()?.auth.creds.me?.lid
  return [sessionId, lid].some(own => own !== undefined && withoutDevice(own) === withoutDevice(jid))
}

/** The caller by phone number. The claimed number is never trusted: the platform is queried for its owner. */
export async function nameOfCaller(
  context: SessionContext,
  caller: string,
  claimedPhone: string | undefined,
): Promise<string> {
  const { lids, link, recipients, clock, queriedCallers } = context
  const lid = withoutDevice(caller)
  const connection = link.current()
  const isUnknown = (await lids.phoneOf(lid)) === undefined
  if (isUnknown && claimedPhone !== undefined && jidKind(claimedPhone) === 'user' && connection) {
    // Repeated calls of one caller cause only one query.
    const isQueried = queriedCallers.get(lid) !== undefined
    queriedCallers.set(lid, true)
    const phone = withoutDevice(claimedPhone)
    if (!isQueried) {
      recipients.lists.forget(phone)
      await resolveWithin(
        clock,
        QUERY_MS,
        recipients.lists.of(connection.sock, [phone]).catch(() => undefined),
      )
    }
  }
  return await lids.phoneFirst(lid)
}
