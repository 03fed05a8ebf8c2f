import type { BinaryNode } from 'baileys'
import { isPerson, jidKind, withoutDevice } from '../../../domain/jid.ts'
import type { Interpretation } from '../../platform.ts'
import type { SessionContext } from '../session-context.ts'
import { unixSeconds } from '../wire/numbers.ts'

export async function interpretChatState(context: SessionContext, stanza: BinaryNode): Promise<Interpretation> {
  const { from = '', participant } = stanza.attrs
  const child = Array.isArray(stanza.content) ? stanza.content[0] : undefined
  if (child?.tag !== 'composing' && child?.tag !== 'paused') return { kind: 'none', reason: 'chatstate_unknown' }
  const isGroup = jidKind(from) === 'group'
  if (!isPerson(isGroup ? (participant ?? '') : from)) return { kind: 'none', reason: 'chatstate_of_nobody' }
  const chatJid = isGroup ? withoutDevice(from) : await context.lids.phoneFirst(from)
  const senderJid = isGroup && participant !== undefined ? withoutDevice(participant) : chatJid
  return {
    kind: 'events',
    events: [
      {
        kind: 'typing',
        session_id: context.sessionId,
        sender_jid: senderJid,
        chat_jid: chatJid,
        is_group: isGroup,
        typing: child.tag === 'composing',
        media: child.attrs.media === 'audio' ? 'audio' : 'text',
      },
    ],
  }
}

/** `last` is a time, or a text if the contact hides it. */
export async function interpretPresence(context: SessionContext, stanza: BinaryNode): Promise<Interpretation> {
  const { from = '', type, last } = stanza.attrs
  const kind = jidKind(from)
  if (kind !== 'user' && kind !== 'lid') return { kind: 'none', reason: 'presence_of_group' }
  if (!(await isSubscribed(context, from))) return { kind: 'none', reason: 'presence_not_subscribed' }
  const online = type !== 'unavailable'
  return {
    kind: 'events',
    events: [
      {
        kind: 'presence',
        session_id: context.sessionId,
        contact_jid: await context.lids.phoneFirst(from),
        online,
        last_seen_unix: online ? 0 : (unixSeconds(last) ?? 0),
      },
    ],
  }
}

async function isSubscribed(context: SessionContext, jid: string): Promise<boolean> {
  const names = [await context.lids.phoneOf(jid), await context.lids.lidOf(jid)]
  for (const name of names) if (name !== undefined && (await context.subscriptions.has(name))) return true
  return false
}
