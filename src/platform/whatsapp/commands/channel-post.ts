import { type BinaryNode, normalizeMessageContent, proto, type WASocket } from 'baileys'
import { stanzaTypeOf, type StanzaType } from '../recipients/stanza-type.ts'
import type { Address } from './addressing.ts'

const EDIT = '3'
const REVOKE = '8'

export interface ChannelPost {
  to: string
  platformId: string
  message: proto.IMessage
  attributes: Record<string, string>
  nodes: BinaryNode[]
}

/**
 * Sends a post to a channel. The platform refuses posts other than text as the library writes them: without their media
 * type and the node of a poll.
 */
export async function writePost(sock: Pick<WASocket, 'sendNode'>, post: ChannelPost): Promise<void> {
  const { to, platformId, message, attributes, nodes } = post
  const { type, mediaType } = postTypeOf(message)
  const plaintext = {
    tag: 'plaintext',
    attrs: { ...(mediaType !== undefined && { mediatype: mediaType }) },
    content: proto.Message.encode(message).finish(),
  }
  await sock.sendNode({
    tag: 'message',
    attrs: { to, id: platformId, type, ...attributes },
    content: [plaintext, ...nodes],
  })
}

/** In a channel a text with a link preview counts as media. */
function postTypeOf(message: proto.IMessage): StanzaType {
  if (message.extendedTextMessage?.matchedText) return { type: 'media', mediaType: 'url' }
  return stanzaTypeOf(message)
}

/** What changes a post, ready to be sent. */
interface PostChange {
  address: Address
  platformId: string
  message: proto.IMessage
  attributes: { edit: string }
}

/** A changed post has the id of the post and its whole new content. A post with a file keeps the file. */
export function postEdit(address: Address, platformId: string, sent: Uint8Array | undefined, text: string): PostChange {
  const post = sent && proto.Message.decode(sent)
  const content = normalizeMessageContent(post)
  const file = content?.imageMessage ?? content?.videoMessage ?? content?.documentMessage
  if (file) file.caption = text
  const message = post && file ? post : { conversation: text }
  return { address, platformId, message, attributes: { edit: EDIT } }
}

/** A removed post has the id of the post and no content. */
export function postRevoke(address: Address, platformId: string): PostChange {
  return { address, platformId, message: {}, attributes: { edit: REVOKE } }
}
