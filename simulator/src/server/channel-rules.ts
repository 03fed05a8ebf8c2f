import { normalizeMessageContent, proto } from 'baileys'
import { stanzaTypeOf } from '../phone/message-text.ts'
import { type BinaryNode, bytesOf, child, children } from '../wire/node.ts'
import type { Channel, Post } from '../world/channel.ts'
import type { Network } from '../world/network.ts'

const NOT_FOUND = 404
const MALFORMED = 479

/** How a stanza says that it changes a post. */
export const POST_EDIT = '3'
export const POST_REVOKE = '8'

const FILES = ['imageMessage', 'videoMessage', 'audioMessage', 'documentMessage', 'stickerMessage'] as const

export const postById = (channel: Channel, id: string | undefined): Post | undefined =>
  [...channel.posts.values()].find(post => post.id === id)

/** The error for a malformed post of a channel, if any; reactions are not posts. */
export function postError(network: Network, channel: Channel, stanza: BinaryNode): number | undefined {
  const { edit, id, type } = stanza.attrs
  const plaintext = children(stanza, 'plaintext')
  if (plaintext.length !== 1) return MALFORMED
  if (edit !== undefined && edit !== POST_EDIT && edit !== POST_REVOKE) return MALFORMED
  if (edit !== undefined && !postById(channel, id)) return NOT_FOUND
  const bytes = bytesOf(plaintext[0])
  if (edit === POST_REVOKE) return bytes.length === 0 && type === 'text' ? undefined : MALFORMED
  const message = decoded(bytes)
  const isRight = message && isNamedRightly(stanza, message) && hasRightFile(network, stanza, message)
  return isRight ? undefined : MALFORMED
}

function decoded(bytes: Uint8Array): proto.IMessage | undefined {
  try {
    return proto.Message.decode(bytes)
  } catch {
    return undefined
  }
}

/** The platform reads posts, so it knows what the stanza has to say about them. */
function isNamedRightly(stanza: BinaryNode, message: proto.IMessage): boolean {
  const { type } = stanza.attrs
  const said = child(stanza, 'plaintext')?.attrs.mediatype
  const content = normalizeMessageContent(message)
  if (!content || Object.keys(content).length === 0 || content.protocolMessage) return false
  if (content.extendedTextMessage?.matchedText) return type === 'media' && said === 'url'
  const right = stanzaTypeOf(message)
  // The platform's own clients send no places to channels, so there is no rule for them.
  if (right.mediaType === 'location') return true
  if (right.type === 'poll' && !isAnnouncedPoll(stanza)) return false
  return type === right.type && said === right.mediaType
}

function isAnnouncedPoll(stanza: BinaryNode): boolean {
  const { polltype, contenttype } = child(stanza, 'meta')?.attrs ?? {}
  return polltype === 'creation' && contenttype === 'text'
}

/** A file of a channel is not encrypted, and was uploaded to the place of its kind; a new post has its handle. */
function hasRightFile(network: Network, stanza: BinaryNode, message: proto.IMessage): boolean {
  const content = normalizeMessageContent(message) ?? {}
  const kind = FILES.find(name => content[name])
  if (kind === undefined) return true
  const { directPath, mediaKey, url } = content[kind]!
  const upload = network.media.channelUpload(directPath ?? '')
  const isPlain = (mediaKey ?? []).length === 0 && (url ?? '') === ''
  if (!isPlain || upload === undefined || !PLACES[kind].includes(upload.type)) return false
  return stanza.attrs.edit === POST_EDIT || stanza.attrs.media_id === upload.handle
}

const PLACES: Readonly<Record<(typeof FILES)[number], readonly string[]>> = {
  imageMessage: ['image'],
  videoMessage: ['video', 'gif'],
  audioMessage: ['audio', 'ptt'],
  documentMessage: ['document'],
  stickerMessage: ['image', 'sticker'],
}
