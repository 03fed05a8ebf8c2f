import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import type { CallEvent } from '../../../domain/event.ts'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { Interpretation } from '../../platform.ts'
import type { SessionContext } from '../session-context.ts'
import { callLabel } from '../wire/labels.ts'
import { secondsOr } from '../wire/numbers.ts'

/** How long an event waits for the query who owns a claimed number. */
const QUERY_MS = 3_000

/** The meaning of the parts of a call for a device that does not answer it. */
const EVENTS: Record<string, { event: CallEvent['event']; reason?: string }> = {
  offer: { event: 'offer' },
  offer_notice: { event: 'offer' },
  terminate: { event: 'terminate' },
  reject: { event: 'terminate', reason: 'rejected_elsewhere' },
  accept: { event: 'terminate', reason: 'accepted_elsewhere' },
}

export interface CallInfo {
  id: string
  creator: string
  /** The caller's own claim. */
  claimedPhone: string | undefined
  isVideo: boolean
  tag: string
  reason: string | undefined
  isOffline: boolean
}

export function readCall(
  context: Pick<SessionContext, 'sessionId' | 'link'>,
  stanza: BinaryNode,
): CallInfo | undefined {
  const info = Array.isArray(stanza.content) ? stanza.content[0] : undefined
  if (!info) return undefined
  const { attrs } = info
  return {
    id: attrs['call-id'] ?? '',
    creator: callerOf(context, stanza, info),
    claimedPhone: attrs.caller_pn,
    isVideo: getBinaryNodeChild(info, 'video') !== undefined || attrs.media === 'video',
    tag: info.tag,
    reason: attrs.reason,
    isOffline: stanza.attrs.offline !== undefined,
  }
}

export async function interpretCall(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  const call = readCall(context, stanza)
  const meaning = call && getOwn(EVENTS, call.tag)
  if (!meaning) return { kind: 'none', reason: call ? callLabel(call.tag) : 'call_empty' }
  if (call.id === '') return { kind: 'none', reason: 'call_without_id' }
  if (!isPerson(call.creator)) return { kind: 'none', reason: 'call_from_nobody' }
  if (meaning.event === 'offer') context.videoCalls.set(call.id, call.isVideo)
  const reason = call.reason ?? meaning.reason
  return {
    kind: 'events',
    events: [
      {
        kind: 'call',
        session_id: context.sessionId,
        call_id: call.id,
        from_jid: await nameOfCaller(context, call.creator, call.claimedPhone),
        event: meaning.event,
        video: context.videoCalls.get(call.id) ?? call.isVideo,
        ...(meaning.event === 'terminate' && reason !== undefined && { reason }),
        rejected: (await context.rejections.get(call.id)) ?? false,
        timestamp_unix: secondsOr(stanza.attrs.t, receivedAtMs),
      },
    ],
  }
}

/**
 * The caller. The platform sets the sender of the stanza; its content is the caller's own claim, which is used if it
 * names the same person, with the device, or if the number's own device reports the call.
 */
function callerOf(context: Pick<SessionContext, 'sessionId' | 'link'>, stanza: BinaryNode, info: BinaryNode): string {
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
async function nameOfCaller(
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
