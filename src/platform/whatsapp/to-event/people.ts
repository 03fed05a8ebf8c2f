import type { GroupParticipant } from 'baileys'
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
  if (key.fromMe) return await ownPeople(context, withoutDevice(key.remoteJid))
  const { lids } = context
  const chat = withoutDevice(key.remoteJid)
  const wireSender = withoutDevice(key.participant || key.remoteJid)
  await lids.remember(wireSender, key.participantAlt ?? key.remoteJidAlt, 'message')
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

/** Of a message that the number's own phone sent: the direct chat is the other person. */
async function ownPeople({ sessionId, lids }: SessionContext, chat: string): Promise<People> {
  const [isGroup, isStatus] = [jidKind(chat) === 'group', chat === STATUS_BROADCAST]
  const chatJid = isGroup || isStatus ? chat : await lids.phoneFirst(chat)
  return { chatJid, senderJid: sessionId, senderPhone: sessionId, isGroup, isStatus }
}

/** The member list of a group has the numbers behind hidden identifiers. */
export async function phoneInGroup(
  context: SessionContext,
  group: string,
  member: string,
): Promise<string | undefined> {
  const names = await context.lids.namesOf(member)
  const found = (await membersOf(context, group))?.find(one => isAmong([one], names))
  if (found) await context.lids.remember(found.id, found.phoneNumber ?? found.lid, 'group')
  return context.lids.phoneOf(member)
}

/** Whether one of these names of a person is in a list of members. */
export const isAmong = (members: readonly GroupParticipant[], names: readonly string[]): boolean =>
  members.some(({ id, phoneNumber, lid }) =>
    [id, phoneNumber, lid].some(name => name !== undefined && names.includes(withoutDevice(name))),
  )

/**
 * Whether a person can have received a message in this chat. People who have its sender key can, even if they have left
 * the chat since. `ifUnknown` is the answer while the members of a group are not known.
 */
export async function isInChat(
  context: SessionContext,
  chat: string,
  names: readonly string[],
  { ifUnknown }: { ifUnknown: boolean },
): Promise<boolean> {
  if (await context.recipients.hasKeyHolder(chat, names)) return true
  if (jidKind(chat) === 'group') {
    const members = await membersOf(context, chat)
    return members === undefined ? ifUnknown : isAmong(members, names)
  }
  return (await Promise.all(names.map(name => context.readers.has(name)))).includes(true)
}

/** `undefined` if the list is not known now. */
async function membersOf(context: SessionContext, jid: string): Promise<GroupParticipant[] | undefined> {
  const connection = context.link.current()
  const group = connection && (await context.groups.findSparingly(connection.sock, jid))
  return group?.participants
}
