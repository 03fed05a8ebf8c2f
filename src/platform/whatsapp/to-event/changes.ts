import { type GroupMetadata, proto } from 'baileys'
import { resolveWithin } from '../../../runtime/deadline.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { namesOf, ownNames, seenIn, senderNames } from './names.ts'
import type { People } from './people.ts'
import { whenOpen } from '../link/when-open.ts'

const { REVOKE } = proto.Message.ProtocolMessage.Type

/** The `edit` attribute of an admin's revoke; an author's is 7. */
const ADMIN_REVOKE = '8'

// All attempts together have to stay within the timeout of an interpretation.
const TRIES = 3
const RETRY_AFTER_MS = 500
const ANSWER_MS = 10_000

/**
 * Why an edit or a revoke is rejected as forged; `undefined` if it is genuine. Authors change their own messages, and
 * admins of a group revoke those of other members.
 */
export async function forgedChange(
  context: SessionContext,
  stored: StoredMessage,
  change: proto.Message.IProtocolMessage,
  people: People,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isRevoke = change.type === REVOKE
  if (await isByAuthor(context, stored, change.key ?? {}, people)) return undefined
  if (!isRevoke || !people.isGroup || stored.edit !== ADMIN_REVOKE)
    return isRevoke ? 'revoke_by_other' : 'edit_by_other'
  const isAdmin = await isAdminOf(context, people.chatJid, await senderNames(context, stored), signal)
  if (isAdmin === undefined) return 'revoke_unverified'
  return isAdmin ? undefined : 'revoke_by_other'
}

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
  // A message of another chat is never meant: there its author may be another person.
  if (await context.storage.readSeen(id)) return false
  // The gateway never saw the message: only its key names the author, from the sender's point of view.
  if (key.fromMe === true) return true
  return [...(await namesOf(context, [key.participant]))].some(name => sender.has(name))
}

/** `undefined` if the platform does not answer in any attempt. */
async function isAdminOf(
  context: SessionContext,
  group: string,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const members = await membersOf(context, group, signal)
  return members?.some(
    ({ id, phoneNumber, lid, admin }) => !!admin && [id, phoneNumber, lid].some(name => name && names.has(name)),
  )
}

/** If the link is down by now, this waits until it is open again. */
async function membersOf(
  context: SessionContext,
  group: string,
  signal: AbortSignal,
): Promise<GroupMetadata['participants'] | undefined> {
  for (let tries = 0; tries < TRIES && !context.link.isOver?.(); tries += 1) {
    if (tries > 0) await context.clock.sleep(RETRY_AFTER_MS * tries, signal)
    signal.throwIfAborted()
    const connection = await whenOpen(context, signal)
    if (!connection) continue
    try {
      const query = context.groups.find(connection.sock, group)
      const found = await resolveWithin(context.clock, ANSWER_MS, query, signal)
      if (found) return found.participants
    } catch {
      signal.throwIfAborted()
    }
  }
  return undefined
}
