import {
  type BinaryNode,
  encodeWAMessage,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  normalizeMessageContent,
  proto,
  type WASocket,
} from 'baileys'
import { jidKind, STATUS_BROADCAST, withoutDevice } from '../../../domain/jid.ts'
import { transient } from '../errors.ts'
import { partAttributesOf, sealKey } from '../recipients/seal-key.ts'
import { inLibraryTransaction } from '../recipients/sessions.ts'
import { stanzaTypeOf } from '../recipients/stanza-type.ts'
import { node, queryServer } from '../remembered/contact-queries.ts'
import type { SessionContext } from '../session-context.ts'

const { REVOKE } = proto.Message.ProtocolMessage.Type

export interface StatusMessage {
  platformId: string
  message: proto.IMessage
  attributes: Record<string, string>
  nodes: BinaryNode[]
  audience: string[] | undefined
}

/** Who sees a post, and how the post says it: the owner's contacts, some of them, or all but some. */
interface Audience {
  people: string[]
  setting: 'contacts' | 'allowlist' | 'denylist'
}

/**
 * Sends a status message. The library would name people by number, which the platform rejects, and would not state who
 * may see a post.
 */
export async function writeStatus(context: SessionContext, sock: WASocket, written: StatusMessage): Promise<void> {
  const lid = sock.authState.creds.me?.lid
  if (!lid) throw transient('the platform has not sent the hidden identifier of the number yet')
  const { message, platformId, attributes } = written
  const audience = await statusAudience(context, sock, message, written.audience)
  const people = [...new Set([...audience.people, withoutDevice(lid)])]
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
      ...nodesWithAudience(message, written.nodes, audience),
    ]
    const attrs = { id: platformId, to: STATUS_BROADCAST, type: stanzaTypeOf(message).type }
    await sock.sendNode({ tag: 'message', attrs: { ...attrs, ...attributes }, content })
  })
}

/** A stanza has at most one `meta`, so the audience of a post joins what a poll says there. */
function nodesWithAudience(message: proto.IMessage, nodes: readonly BinaryNode[], { setting }: Audience): BinaryNode[] {
  if (!needsAudienceSetting(message)) return [...nodes]
  const others = nodes.filter(({ tag }) => tag !== 'meta')
  const said = nodes.find(({ tag }) => tag === 'meta')?.attrs
  return [{ tag: 'meta', attrs: { status_setting: setting, ...said } }, ...others]
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
 * The audience of a status message, by hidden identifier: a post is for the people that the sender of it has chosen, or
 * else for those of the people this number has written to whom its owner has chosen on the phone; a reaction is for the
 * author of the post. People without a hidden identifier are left out and counted.
 */
export async function statusAudience(
  context: SessionContext,
  sock: WASocket,
  message: proto.IMessage,
  chosen: readonly string[] | undefined,
): Promise<Audience> {
  const author = message.reactionMessage?.key?.participant
  const named = await withLids(context, sock, author ? [author] : (chosen ?? (await context.readers.all())))
  if (chosen) return { people: named, setting: 'allowlist' }
  if (!needsAudienceSetting(message)) return { people: named, setting: 'contacts' }
  const { type, listed } = await chosenOnPhone(context, sock)
  if (type === 'whitelist') return { people: listed, setting: 'allowlist' }
  if (type === 'blacklist') return { people: named.filter(lid => !listed.includes(lid)), setting: 'denylist' }
  return { people: named, setting: 'contacts' }
}

/** Whom the owner has chosen on the phone, by hidden identifier. */
async function chosenOnPhone(
  context: SessionContext,
  sock: WASocket,
): Promise<{ type: string | undefined; listed: string[] }> {
  const answer = await queryServer(sock, 'get', 'status', [node('privacy')])
  const lists = getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'list')
  const inUse = lists.find(({ attrs }) => attrs.default === 'true')
  const jids = getBinaryNodeChildren(inUse, 'user').flatMap(({ attrs }) => attrs.jid ?? [])
  return { type: inUse?.attrs.type, listed: jids.length === 0 ? [] : await withLids(context, sock, jids) }
}

async function withLids(context: SessionContext, sock: WASocket, people: readonly string[]): Promise<string[]> {
  const named = await lidsOf(context, sock, people)
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
