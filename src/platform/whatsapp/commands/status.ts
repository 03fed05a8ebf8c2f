import { type BinaryNode, encodeWAMessage, normalizeMessageContent, proto, type WASocket } from 'baileys'
import { jidKind, STATUS_BROADCAST, withoutDevice } from '../../../domain/jid.ts'
import { transient } from '../errors.ts'
import { deviceIdentity } from '../recipients/own-chat.ts'
import { inTurn } from '../recipients/sessions.ts'
import { stanzaTypeOf } from '../recipients/stanza-type.ts'
import type { SessionContext } from '../session-context.ts'

const { REVOKE } = proto.Message.ProtocolMessage.Type

const AT_ONCE = 20

export interface StatusMessage {
  platformId: string
  message: proto.IMessage
  attributes: Record<string, string>
  nodes: BinaryNode[]
}

/**
 * Writes to status. The library names people there by number, which the platform refuses, and does not say who may
 * see a post.
 */
export async function writeStatus(context: SessionContext, sock: WASocket, written: StatusMessage): Promise<void> {
  const lid = sock.authState.creds.me?.lid
  if (!lid) throw transient('the platform has not said the hidden identifier of the number yet')
  const people = [...new Set([...(await statusAudience(context, sock, written.message)), withoutDevice(lid)])]
  const untold = await context.recipients.untold(sock, STATUS_BROADCAST, people)
  await inTurn(sock, async () => {
    const content = await contentOf(context, sock, lid, written, people, untold)
    const attrs = { id: written.platformId, to: STATUS_BROADCAST, type: stanzaTypeOf(written.message).type }
    await sock.sendNode({ tag: 'message', attrs: { ...attrs, ...written.attributes }, content })
  })
}

async function contentOf(
  context: Pick<SessionContext, 'heavyWork'>,
  sock: WASocket,
  lid: string,
  { message, nodes }: StatusMessage,
  people: readonly string[],
  untold: readonly string[],
): Promise<BinaryNode[]> {
  const bytes = encodeWAMessage(message)
  const { ciphertext, senderKeyDistributionMessage: key } = await sock.signalRepository.encryptGroupMessage({
    group: STATUS_BROADCAST,
    data: bytes,
    meId: lid,
  })
  const extra = attributesOf(message)
  const telling = {
    senderKeyDistributionMessage: { groupId: STATUS_BROADCAST, axolotlSenderKeyDistributionMessage: key },
  }
  const told = await sealKey(context, sock, untold, telling, extra)
  return [
    { tag: 'participants', attrs: {}, content: [...told.nodes, ...othersIn(people, told.nodes)] },
    { tag: 'enc', attrs: { v: '2', type: 'skmsg', ...extra }, content: ciphertext },
    ...(told.shouldIncludeDeviceIdentity ? [deviceIdentity(sock)] : []),
    ...(saysWhoSees(message) ? [{ tag: 'meta', attrs: { status_setting: 'contacts' } }] : []),
    ...nodes,
  ]
}

interface SealedKeys {
  nodes: BinaryNode[]
  shouldIncludeDeviceIdentity: boolean
}

/** For a part of the devices at a time: an audience may be thousands, and other numbers share the thread. */
async function sealKey(
  { heavyWork }: Pick<SessionContext, 'heavyWork'>,
  sock: WASocket,
  devices: readonly string[],
  telling: proto.IMessage,
  extra: Record<string, string>,
): Promise<SealedKeys> {
  const sealed: SealedKeys = { nodes: [], shouldIncludeDeviceIdentity: false }
  for (let from = 0; from < devices.length; from += AT_ONCE) {
    if (from > 0) await heavyWork.mayBegin()
    // Whom nothing can be encrypted for asks for it.
    const part = await sock
      .createParticipantNodes(devices.slice(from, from + AT_ONCE), telling, extra)
      .catch(() => null)
    sealed.nodes.push(...(part?.nodes ?? []))
    sealed.shouldIncludeDeviceIdentity ||= part?.shouldIncludeDeviceIdentity === true
  }
  return sealed
}

/** Whoever gets no key with this message is named alone: their devices have it. */
function othersIn(people: readonly string[], told: readonly BinaryNode[]): BinaryNode[] {
  const phones = new Set(told.map(({ attrs }) => attrs.jid))
  return people.filter(jid => !phones.has(jid)).map(jid => ({ tag: 'to', attrs: { jid } }))
}

function attributesOf(message: proto.IMessage): Record<string, string> {
  const { mediaType } = stanzaTypeOf(message)
  return {
    ...(mediaType !== undefined && { mediatype: mediaType }),
    ...(message.reactionMessage && { 'decrypt-fail': 'hide' }),
  }
}

/** A post does; a reaction or a revoke that did would be refused. */
function saysWhoSees(message: proto.IMessage): boolean {
  const content = normalizeMessageContent(message)
  return !content?.reactionMessage && content?.protocolMessage?.type !== REVOKE
}

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
