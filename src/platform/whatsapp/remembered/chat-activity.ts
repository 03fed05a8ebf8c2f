import type { ChatChange } from '../../../domain/chat.ts'
import { jidKind } from '../../../domain/jid.ts'
import type { SessionContext } from '../session-context.ts'

type Follower = Pick<SessionContext, 'callbacks'>

/** Whether the JID is a chat of the list: status posts and channels are not. */
function isListed(jid: string): boolean {
  const kind = jidKind(jid)
  return kind === 'user' || kind === 'lid' || kind === 'group'
}

/** A message in a chat, if the chats of the number are followed. `received`: another person wrote it. */
export function activityIn(
  { callbacks }: Follower,
  jid: string,
  activeAtMs: number,
  received = false,
): ChatChange[] | undefined {
  if (!callbacks.followsChats() || !isListed(jid)) return undefined
  return [{ jid, activeAtMs, ...(received && { received: 1 }) }]
}

/** The owner has read a chat, or the API has, if the chats of the number are followed. */
export function readingOf({ callbacks }: Follower, jid: string, readThroughMs: number): ChatChange[] | undefined {
  if (!callbacks.followsChats() || !isListed(jid)) return undefined
  return [{ jid, readThroughMs, isMarkedUnread: false }]
}
