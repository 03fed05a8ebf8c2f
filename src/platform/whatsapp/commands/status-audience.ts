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
  const named = await namesOf(context, sock, wanted)
  for (const lid of named) if (lid === undefined) context.callbacks.onDropped('status_reader_without_lid')
  return named.filter(lid => lid !== undefined)
}

/** A question about the devices of a number tells its hidden identifier too. */
async function namesOf(
  { lids, recipients }: SessionContext,
  sock: WASocket,
  people: readonly string[],
): Promise<Array<string | undefined>> {
  const known = await lids.lidsOf(people)
  const unknown = people.filter((jid, index) => known[index] === undefined && jidKind(jid) === 'user')
  if (unknown.length === 0) return known
  await recipients.lists.ofMembers(sock, unknown)
  return await lids.lidsOf(people)
}
