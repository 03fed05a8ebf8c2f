import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import type { CallEvent } from '../../../domain/event.ts'
import { isPerson } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { Interpretation } from '../../platform.ts'
import type { SessionContext } from '../session-context.ts'
import { callLabel } from '../wire/labels.ts'
import { secondsOr } from '../wire/numbers.ts'
import { callerOf, nameOfCaller } from './caller.ts'

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
