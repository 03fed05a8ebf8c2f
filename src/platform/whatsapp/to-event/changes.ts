import { proto } from 'baileys'
import type { StoredMessage } from '../inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { namesOf, ownNames, seenIn } from './names.ts'
import type { People } from './people.ts'

const { REVOKE } = proto.Message.ProtocolMessage.Type

/** What the stanza of an admin's revoke says; an author's says 7. */
const ADMIN_REVOKE = '8'

/**
 * Why an edit or a revoke is not told as one; `undefined` where it is. Authors change their own messages, and admins
 * of a group revoke those of others.
 */
export async function forgedChange(
  context: SessionContext,
  stored: StoredMessage,
  change: proto.Message.IProtocolMessage,
  people: People,
): Promise<string | undefined> {
  const isRevoke = change.type === REVOKE
  if (await isByAuthor(context, stored, change.key ?? {}, people)) return undefined
  if (!isRevoke || !people.isGroup || stored.edit !== ADMIN_REVOKE)
    return isRevoke ? 'revoke_by_other' : 'edit_by_other'
  const isAdmin = await isAdminOf(context, people.chatJid, await senderNames(context, stored))
  if (isAdmin === undefined) return 'revoke_unverified'
  return isAdmin ? undefined : 'revoke_by_other'
}

const senderNames = (context: SessionContext, { key }: StoredMessage): Promise<Set<string>> =>
  namesOf(context, [key.participant || key.remoteJid, key.participantAlt ?? key.remoteJidAlt])

async function isByAuthor(
  context: SessionContext,
  stored: StoredMessage,
  key: proto.IMessageKey,
  people: People,
): Promise<boolean> {
  const id = key.id ?? ''
  const sender = await senderNames(context, stored)
  const seen = await seenIn(context, people.chatJid, id)
  if (seen) {
    const author = await namesOf(context, seen.fromMe ? ownNames(context) : [seen.senderJid])
    return [...author].some(name => sender.has(name))
  }
  // One of another chat is never meant: there its author may be somebody else.
  if (await context.storage.readSeen(id)) return false
  // It was never seen here: whose it is, its key says alone, in the eyes of the sender.
  if (key.fromMe === true) return true
  return [...(await namesOf(context, [key.participant]))].some(name => sender.has(name))
}

/** `undefined` where the platform does not tell now. */
async function isAdminOf(
  context: SessionContext,
  group: string,
  names: ReadonlySet<string>,
): Promise<boolean | undefined> {
  const connection = context.link.current()
  if (!connection) return undefined
  try {
    const { participants } = await context.groupOf(connection, group)
    return participants.some(
      ({ id, phoneNumber, lid, admin }) => admin && [id, phoneNumber, lid].some(name => name && names.has(name)),
    )
  } catch {
    return undefined
  }
}
