import { hkdfSync } from 'node:crypto'
import { proto } from 'baileys'
import type { Command, CommandResult } from '../../../domain/command.ts'
import { jidKind } from '../../../domain/jid.ts'
import { mediaIdOf } from '../../../domain/media.ts'
import type { Outgoing } from '../../../domain/message.ts'
import type { Connection } from '../link/connection.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { seenIn } from '../to-event/names.ts'
import {
  addExpiration,
  addForwarded,
  addMentions,
  addQuote,
  addToAlbum,
  composeContent,
  forwardOf,
  nodesBeside,
  type Target,
  withSecret,
} from '../to-message/compose.ts'
import { refused } from '../errors.ts'
import { editAttributeOf, isAboutEvent } from '../recipients/stanza-type.ts'
import { carouselMessage } from '../to-message/interactive.ts'
import { previewOf } from '../to-message/link-preview.ts'
import { mediaMessage } from '../to-message/media.ts'
import type { UploadedMedia } from '../to-message/upload-unencrypted.ts'
import type { Expiration } from '../remembered/expirations.ts'
import { addReader } from '../remembered/status-readers.ts'
import { type Address, addressOf, nameInChat } from './addressing.ts'
import { connectionUntil } from './attempt-connection.ts'
import { eventAnswer, eventChange } from './calendar-event.ts'
import { postEdit, postRevoke } from './channel-post.ts'
import { sendAndAwaitAck } from './send-and-await-ack.ts'

type Send = Extract<Command, { kind: 'send' }>
type Edit = Extract<Command, { kind: 'edit' }>
type Revoke = Extract<Command, { kind: 'revoke' }>

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

export async function send(context: SessionContext, command: Send, signal: AbortSignal): Promise<CommandResult> {
  const { to, platformId, outgoing } = command
  const connection = connectionUntil(openConnection(context), signal)
  const address = await addressOf(context, connection, to)
  const composed = await messageOf(context, connection, command, address, signal)
  const message = withSecret(composed.message, to, secretFor(connection, platformId))
  const change = editAttributeOf(message)
  const prepared = {
    address,
    platformId,
    message,
    attributes: {
      ...(composed.mediaId !== undefined && { media_id: composed.mediaId }),
      ...(change !== undefined && { edit: change }),
      // The library does not know that they are about an event.
      ...(isAboutEvent(message) && { type: 'event' }),
    },
    nodes: nodesBeside(outgoing.content, to, context.clock.now()),
    ...(outgoing.audience && { audience: outgoing.audience }),
  }
  if (outgoing.audience) await context.statusAudiences.keep(platformId, outgoing.audience)
  const result = await sendAndAwaitAck(context, connection, prepared, signal)
  // The message is acknowledged even if this fails.
  await addReader(context, address.chat).catch(() => {})
  if (jidKind(to) === 'channel') context.managedChannels.set(to, true)
  return result
}

export async function edit(context: SessionContext, command: Edit, signal: AbortSignal): Promise<CommandResult> {
  const { to, platformId, targetPlatformId, text } = command
  const connection = connectionUntil(openConnection(context), signal)
  const address = await addressOf(context, connection, to)
  if (jidKind(to) === 'channel') {
    const post = await context.storage.readSent(targetPlatformId)
    return sendAndAwaitAck(context, connection, postEdit(address, targetPlatformId, post, text), signal)
  }
  const key = { remoteJid: address.to, fromMe: true, id: targetPlatformId }
  const editedMessage = { conversation: text }
  const message = {
    protocolMessage: { key, type: MESSAGE_EDIT, editedMessage, timestampMs: context.clock.now().getTime() },
  }
  const audience = jidKind(to) === 'status' ? await context.statusAudiences.of(targetPlatformId) : undefined
  const attributes = { edit: '1' }
  const prepared = { address, platformId, message, attributes, ...(audience && { audience }) }
  return sendAndAwaitAck(context, connection, prepared, signal)
}

export async function revoke(context: SessionContext, command: Revoke, signal: AbortSignal): Promise<CommandResult> {
  const { to, platformId, targetPlatformId } = command
  const connection = connectionUntil(openConnection(context), signal)
  const address = await addressOf(context, connection, to)
  if (jidKind(to) === 'channel')
    return sendAndAwaitAck(context, connection, postRevoke(address, targetPlatformId), signal)
  const key = { remoteJid: address.to, fromMe: true, id: targetPlatformId }
  const message = { protocolMessage: { key, type: REVOKE } }
  const audience = jidKind(to) === 'status' ? await context.statusAudiences.of(targetPlatformId) : undefined
  const attributes = { edit: '7' }
  const prepared = { address, platformId, message, attributes, ...(audience && { audience }) }
  return sendAndAwaitAck(context, connection, prepared, signal)
}

/** The same at every attempt, because it is unknown which attempt the recipient received. */
function secretFor({ sock }: Connection, platformId: string): Uint8Array {
  const { signedIdentityKey } = sock.authState.creds
  return Buffer.from(hkdfSync('sha256', signedIdentityKey.private, platformId, 'message secret', 32))
}

async function messageOf(
  context: SessionContext,
  connection: Connection,
  { to, platformId, outgoing }: Send,
  address: Address,
  signal: AbortSignal,
): Promise<UploadedMedia> {
  const { content } = outgoing
  // A retry sends the same file, poll or copy. The handle of a channel's file is not stored: that file is uploaded again.
  const isRepeatable =
    content.type === 'poll' ||
    content.type === 'carousel' ||
    content.type === 'forward' ||
    (content.type === 'media' && jidKind(to) !== 'channel')
  const earlier = isRepeatable ? await context.storage.readSent(platformId) : undefined
  if (earlier) return { message: proto.Message.decode(earlier) }
  const composed = await contentOf(context, connection, address, content, signal)
  const { message } = composed
  addMentions(message, content)
  if (outgoing.isForwarded) addForwarded(message)
  if (content.type === 'media' && content.album !== undefined) addToAlbum(message, content.album, address.to)
  if (outgoing.quote) {
    const sender = await quotedSender(context, address.chat, outgoing.quote)
    addQuote(message, outgoing.quote, await nameInChat(context, address, sender))
  }
  const expiration = await expirationOf(context, connection, address)
  if (expiration) addExpiration(message, expiration)
  return composed
}

/** A group names its setting in its metadata; a person in each message. */
async function expirationOf(
  { groups, expirations, lids }: SessionContext,
  { sock }: Connection,
  { chat, form }: Address,
): Promise<Expiration | undefined> {
  if (form !== undefined) return await expirations.of(await lids.phoneFirst(chat))
  if (jidKind(chat) !== 'group') return undefined
  // The send itself reports a group that cannot be read.
  const group = await groups.find(sock, chat).catch(() => undefined)
  return { seconds: group?.ephemeralDuration ?? 0, since: 0 }
}

async function contentOf(
  context: SessionContext,
  connection: Connection,
  address: Address,
  content: Outgoing['content'],
  signal: AbortSignal,
): Promise<UploadedMedia> {
  const { sock } = connection
  const { to } = address
  if (content.type === 'media') return mediaMessage(content, to, sock, context, signal)
  if (content.type === 'carousel') return { message: await carouselOf(context, connection, to, content, signal) }
  if (content.type === 'forward') return { message: await copyOf(context, content.messageId) }
  if (content.type === 'event_change') return { message: await eventChange(context, connection, address, content) }
  if (content.type === 'event_answer') return { message: await eventAnswer(context, connection, address, content) }
  const preview =
    content.type === 'text' && content.linkPreview ? await previewOf(content, to, sock, context, signal) : undefined
  const target = await targetOf(context, to, content)
  return { message: composeContent(content, to, target, preview, context.clock.now().getTime()) }
}

/**
 * The pictures are uploaded one after the other, because each may take the memory of one. A picture that several cards have
 * is fetched once.
 */
async function carouselOf(
  context: SessionContext,
  { sock }: Connection,
  to: string,
  content: Extract<Outgoing['content'], { type: 'carousel' }>,
  signal: AbortSignal,
): Promise<proto.IMessage> {
  const uploaded = new Map<string, proto.Message.IImageMessage | undefined>()
  for (const { picture } of content.cards) {
    if (picture === null || uploaded.has(picture)) continue
    const field = `carousel.${mediaIdOf(picture) === undefined ? 'media_url' : 'media_id'}`
    const image = { ...PICTURE, url: picture, field }
    const { message } = await mediaMessage(image, to, sock, context, signal)
    uploaded.set(picture, message.imageMessage ?? undefined)
  }
  const pictures = content.cards.flatMap(({ picture }) => (picture === null ? [] : [uploaded.get(picture)]))
  return carouselMessage(content, pictures)
}

const PICTURE = {
  type: 'media',
  mediaType: 'image',
  caption: '',
  mentions: [],
  filename: null,
  viewOnce: false,
} satisfies Partial<Outgoing['content']>

/** The copy of a sent message, as it is forwarded. */
async function copyOf(context: SessionContext, platformId: string): Promise<proto.IMessage> {
  const encoded = await context.storage.readSent(platformId)
  if (!encoded) throw refused('forward_message_id: the content of the message is no longer kept')
  const message = proto.Message.decode(encoded)
  if (message.viewOnceMessageV2) throw refused('forward_message_id: a message that can be viewed once is not forwarded')
  return forwardOf(message)
}

/** The message that a reaction, a pin or a keep is about. */
async function targetOf(
  context: SessionContext,
  to: string,
  content: Outgoing['content'],
): Promise<Target | undefined> {
  if (content.type === 'reaction')
    return await authorOf(context, to, content.reactedMessageId, content.reactedParticipant)
  if (content.type === 'pin' || content.type === 'keep')
    return await authorOf(context, to, content.messageId, content.participant)
  return undefined
}

async function authorOf(context: SessionContext, to: string, id: string, given: string | null): Promise<Target> {
  const seen = await seenIn(context, to, id)
  const participant = given ?? (seen?.fromMe === false ? seen.senderJid : undefined)
  return { fromMe: given === context.sessionId || (seen?.fromMe === true && given === null), participant }
}

async function quotedSender(
  context: SessionContext,
  to: string,
  quote: NonNullable<Outgoing['quote']>,
): Promise<string> {
  if (quote.participant !== null) return quote.participant
  return (await seenIn(context, to, quote.messageId))?.senderJid ?? to
}
