import { type BinaryNode, encodeWAMessage, normalizeMessageContent, proto, type WASocket } from 'baileys'
import { jidKind, STATUS_BROADCAST, withoutDevice } from '../../../domain/jid.ts'
import { transient } from '../errors.ts'
import { partAttributesOf, sealKey } from '../recipients/seal-key.ts'
import { inLibraryTransaction } from '../recipients/sessions.ts'
import { stanzaTypeOf } from '../recipients/stanza-type.ts'
import type { SessionContext } from '../session-context.ts'

const { REVOKE } = proto.Message.ProtocolMessage.Type

export interface StatusMessage {
  platformId: string
  message: proto.IMessage
  attributes: Record<string, string>
  nodes: BinaryNode[]
}

/**
 * Sends a status message. The library would name people by number, which the platform rejects, and would not state who
 * may see a post.
 */
export async function writeStatus(context: SessionContext, sock: WASocket, written: StatusMessage): Promise<void> {
  const lid = sock.authState.creds.me?.lid
  if (!lid) throw transient('the platform has not sent the hidden identifier of the number yet')
  const { message, platformId, attributes } = written
  const people = [...new Set([...(await statusAudience(context, sock, message)), withoutDevice(lid)])]
  const lacking = await context.recipients.withoutKey(sock, STATUS_BROADCAST, people)
  const parts = partAttributesOf(message)
  const key = { chat: STATUS_BROADCAST, meId: lid, devices: lacking, attributes: parts }
  const sealed = await sealKey(sock, key, context.heavyWork)
  await inLibraryTransaction(sock, async () => {
    const { ciphertext } = await sock.signalRepository.encryptGroupMessage({
      group: STATUS_BROADCAST,
      data: encodeWAMessage(message),
      meId: lid,
    })
    const content: BinaryNode[] = [
      { tag: 'participants', attrs: {}, content: [...sealed.nodes, ...othersIn(people, sealed.nodes)] },
      { tag: 'enc', attrs: { v: '2', type: 'skmsg', ...parts }, content: ciphertext },
      ...sealed.identity,
      ...nodesWithAudience(message, written.nodes),
    ]
    const attrs = { id: platformId, to: STATUS_BROADCAST, type: stanzaTypeOf(message).type }
    await sock.sendNode({ tag: 'message', attrs: { ...attrs, ...attributes }, content })
  })
}

/** A stanza has at most one `meta`, so the audience of a post joins what a poll says there. */
function nodesWithAudience(message: proto.IMessage, nodes: readonly BinaryNode[]): BinaryNode[] {
  if (!needsAudienceSetting(message)) return [...nodes]
  const others = nodes.filter(({ tag }) => tag !== 'meta')
  const said = nodes.find(({ tag }) => tag === 'meta')?.attrs
  return [{ tag: 'meta', attrs: { status_setting: 'contacts', ...said } }, ...others]
}

/** People whose devices all have the key are listed without one. */
function othersIn(people: readonly string[], withKey: readonly BinaryNode[]): BinaryNode[] {
  const phones = new Set(withKey.map(({ attrs }) => attrs.jid))
  return people.filter(jid => !phones.has(jid)).map(jid => ({ tag: 'to', attrs: { jid } }))
}

/** A post states its audience; the platform rejects a reaction or a revoke that does. */
function needsAudienceSetting(message: proto.IMessage): boolean {
  const content = normalizeMessageContent(message)
  return !content?.reactionMessage && content?.protocolMessage?.type !== REVOKE
}

/**
 * The audience of a status message, by hidden identifier: a post is for the people this number has written to, a
 * reaction for the author of the post. People without a hidden identifier are left out and counted.
 */
export async function statusAudience(
  context: SessionContext,
  sock: WASocket,
  message: proto.IMessage,
): Promise<string[]> {
  const author = message.reactionMessage?.key?.participant
  const wanted = author ? [author] : await context.readers.all()
  const named = await lidsOf(context, sock, wanted)
  for (const lid of named) if (lid === undefined) context.callbacks.onDropped('status_reader_without_lid')
  return named.filter(lid => lid !== undefined)
}

/** A query for the devices of a number returns its hidden identifier too. */
async function lidsOf(
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
