import type { proto, WASocket } from 'baileys'
import { jidKind } from '../../../domain/jid.ts'
import type { SessionContext } from '../session-context.ts'

/**
 * Who a status message is for, by hidden identifier: a post is for those whom this number has written to, a reaction
 * for whoever posted. Who has no hidden identifier cannot be named there, and is counted.
 */
export async function statusAudience(
  context: SessionContext,
  sock: WASocket,
  message: proto.IMessage,
): Promise<string[]> {
  const author = message.reactionMessage?.key?.participant
  const wanted = author ? [author] : await context.readers.all()
  await learnLids(context, sock, wanted)
  const named = await Promise.all(wanted.map(jid => context.lids.lidOf(jid)))
  for (const lid of named) if (lid === undefined) context.callbacks.onDropped('status_reader_without_lid')
  return named.filter(lid => lid !== undefined)
}

/** A question about the devices of a number tells its hidden identifier too. */
async function learnLids(context: SessionContext, sock: WASocket, people: readonly string[]): Promise<void> {
  const known = await Promise.all(people.map(jid => context.lids.lidOf(jid)))
  const unknown = people.filter((jid, index) => known[index] === undefined && jidKind(jid) === 'user')
  if (unknown.length > 0) await context.recipients.lists.ofMembers(sock, unknown)
}
