import { jidKind, STATUS_BROADCAST, withoutDevice } from '../../../domain/jid.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'

/** Sender and chat, as events name them. */
export interface People {
  chatJid: string
  senderJid: string
  senderPhone: string | undefined
  isGroup: boolean
  isStatus: boolean
}

/**
 * A direct chat is named by phone number if it is known, so that chat and sender are the same; groups keep their names.
 */
export async function peopleOf(context: SessionContext, { key }: StoredMessage): Promise<People> {
  const { lids } = context
  const chat = withoutDevice(key.remoteJid)
  const wireSender = withoutDevice(key.participant || key.remoteJid)
  await lids.remember(wireSender, key.participantAlt ?? key.remoteJidAlt)
  const isGroup = jidKind(chat) === 'group'
  const senderPhone =
    (await lids.phoneOf(wireSender)) ?? (isGroup ? await phoneInGroup(context, chat, wireSender) : undefined)
  if (isGroup) return { chatJid: chat, senderJid: wireSender, senderPhone, isGroup, isStatus: false }
  const senderJid = senderPhone ?? wireSender
  const isStatus = chat === STATUS_BROADCAST
  if (!isStatus) context.chatNames.set(senderJid, wireSender)
  // A message to a broadcast list appears in the direct chat with its sender.
  return { chatJid: isStatus ? chat : senderJid, senderJid, senderPhone, isGroup, isStatus }
}

/** The member list of a group has the numbers behind hidden identifiers. */
export async function phoneInGroup(
  context: SessionContext,
  group: string,
  member: string,
): Promise<string | undefined> {
  const connection = context.link.current()
  if (!connection) return undefined
  try {
    const { participants } = await context.groups.find(connection.sock, group)
    for (const { id, phoneNumber, lid } of participants) await context.lids.remember(id, phoneNumber ?? lid)
  } catch {
    return undefined
  }
  return context.lids.phoneOf(member)
}
