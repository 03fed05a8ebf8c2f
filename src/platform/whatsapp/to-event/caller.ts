import type { BinaryNode } from 'baileys'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import type { SessionContext } from '../session-context.ts'

const ASK_MS = 3_000

/**
 * Who calls. The platform says whom a call is from; what is inside of it is the caller's own word, which counts where it
 * names the same person, with the device, and where a device of the number itself tells of a call.
 */
export function callerOf(
  context: Pick<SessionContext, 'sessionId' | 'link'>,
  stanza: BinaryNode,
  info: BinaryNode,
): string {
  const said = [info.attrs['call-creator'], info.attrs.from].find(isPerson)
  const { from = '' } = stanza.attrs
  if (!isPerson(from)) return said ?? ''
  const isSamePerson = said !== undefined && withoutDevice(said) === withoutDevice(from)
  return isSamePerson || isOwnName(context, from) ? (said ?? from) : from
}

function isOwnName({ sessionId, link }: Pick<SessionContext, 'sessionId' | 'link'>, jid: string): boolean {
  const lid = link.state()?.auth.creds.me?.lid
  return [sessionId, lid].some(own => own !== undefined && withoutDevice(own) === withoutDevice(jid))
}

/** The caller by phone number. Which one a call claims is believed of nobody: the platform is asked whose it is. */
export async function nameOfCaller(
  context: SessionContext,
  caller: string,
  claimedPhone: string | undefined,
): Promise<string> {
  const { lids, link, recipients, clock, askedCallers } = context
  const lid = withoutDevice(caller)
  const connection = link.current()
  const isUnknown = (await lids.phoneOf(lid)) === undefined
  if (isUnknown && claimedPhone !== undefined && jidKind(claimedPhone) === 'user' && connection) {
    // Whoever calls over and over makes the number ask only once.
    const isAsked = askedCallers.get(lid) !== undefined
    askedCallers.set(lid, true)
    const phone = withoutDevice(claimedPhone)
    if (!isAsked) {
      recipients.lists.forget(phone)
      await resolveWithin(
        clock,
        ASK_MS,
        recipients.lists.of(connection.sock, [phone]).catch(() => undefined),
      )
    }
  }
  return await lids.phoneFirst(lid)
}
