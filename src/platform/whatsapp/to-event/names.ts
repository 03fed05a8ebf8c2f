import { withoutDevice } from '../../../domain/jid.ts'
import type { SeenMessage } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'

/** All known names of these people: number and hidden identifier. */
export async function namesOf(
  context: Pick<SessionContext, 'lids'>,
  jids: ReadonlyArray<string | null | undefined>,
): Promise<Set<string>> {
  const names = new Set<string>()
  for (const jid of jids) {
    if (!jid) continue
    const both = [withoutDevice(jid), await context.lids.phoneOf(jid), await context.lids.lidOf(jid)]
    for (const name of both) if (name !== undefined) names.add(name)
  }
  return names
}

export function ownNames(context: SessionContext): Array<string | undefined> {
  return [context.sessionId, context.link.state()?.auth.creds.me?.lid]
}

/** All known names of the sender of a message. */
export const senderNames = (context: SessionContext, { key }: StoredMessage): Promise<Set<string>> =>
  namesOf(
    context,
    key.fromMe ? ownNames(context) : [key.participant || key.remoteJid, key.participantAlt ?? key.remoteJidAlt],
  )

/** Finds a message by its id in a chat, under all names of the chat: another chat may have the same id. */
export async function seenIn(
  context: SessionContext,
  chatJid: string,
  messageId: string,
): Promise<SeenMessage | undefined> {
  return context.storage.readSeen(messageId, [...(await namesOf(context, [chatJid]))])
}

/** Whether a name is the number's own. */
export async function isMe(context: SessionContext): Promise<(jid: string) => boolean> {
  const names = await namesOf(context, ownNames(context))
  return jid => names.has(jid)
}
