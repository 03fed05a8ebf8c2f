import type { BinaryNode } from 'baileys'
import type { NewsletterEvent } from '../../../domain/event.ts'
import { jidKind } from '../../../domain/jid.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { Interpretation } from '../../platform.ts'
import { type ChannelInfo, channelStateOf, readChannelInfo, updateIn } from '../remembered/channel-queries.ts'
import type { SessionContext } from '../session-context.ts'
import { notificationLabel } from '../wire/labels.ts'
import { secondsOr } from '../wire/numbers.ts'

type Change = Omit<NewsletterEvent, 'kind' | 'session_id' | 'timestamp_unix'>

/** Changes of channels are events only for endpoints that include them. */
export async function interpretChannelChange(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  if (!(await context.storage.isIncluded('newsletter')))
    return { kind: 'none', reason: notificationLabel(stanza.attrs.type ?? '') }
  const change = readChange(updateIn(stanza) ?? {})
  if (!change || jidKind(change.newsletter_jid) !== 'channel') return { kind: 'none', reason: 'channel_change_unknown' }
  const timestamp = secondsOr(stanza.attrs.t, receivedAtMs)
  const event = { kind: 'newsletter' as const, session_id: context.sessionId, ...change, timestamp_unix: timestamp }
  return { kind: 'events', events: [event] }
}

function readChange(data: Record<string, unknown>): Change | undefined {
  const about = (path: string): ChannelInfo | undefined => {
    const found = getOwn(data, path)
    return typeof found === 'object' && found !== null ? (found as ChannelInfo) : undefined
  }
  const joined = about('xwa2_notify_newsletter_on_join')
  if (joined) return described('follow', joined)
  const left = about('xwa2_notify_newsletter_on_leave')
  if (left) return { newsletter_jid: left.id ?? '', action: 'unfollow' }
  const updated = about('xwa2_notify_newsletter_on_metadata_update')
  if (updated) return described('update', updated)
  const changed = about('xwa2_notify_newsletter_on_state_change')
  const state = channelStateOf(changed?.state?.type)
  return changed && state ? { newsletter_jid: changed.id ?? '', action: 'state', state } : undefined
}

/** The platform may leave out what has not changed. */
function described(action: 'follow' | 'update', info: ChannelInfo): Change {
  const { name, description, pictureId, reactions } = readChannelInfo(info)
  const thread = info.thread_metadata
  return {
    newsletter_jid: info.id ?? '',
    action,
    ...(thread?.name && { name }),
    ...(thread?.description && { description }),
    ...(reactions && { reactions }),
    ...((thread?.picture !== undefined || thread?.preview) && { picture_id: pictureId ?? '' }),
  }
}
