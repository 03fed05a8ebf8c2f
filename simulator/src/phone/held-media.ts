import { normalizeMessageContent } from 'baileys'
import { Refused } from '../refused.ts'
import type { HeldMessage } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import { type MediaKeyKind, openMedia } from './media-content.ts'
import { mediaOf } from './media-retry.ts'

function kindOf(held: HeldMessage): MediaKeyKind {
  const content = normalizeMessageContent(held.message)
  if (content?.imageMessage) return 'image'
  if (content?.videoMessage ?? content?.ptvMessage) return 'video'
  if (content?.audioMessage) return 'audio'
  return content?.stickerMessage ? 'sticker' : 'document'
}

/** Fetches and decrypts the file of a message. */
export function openHeldMedia(network: Network, held: HeldMessage): Buffer {
  const media = mediaOf(held.message)
  const file = media?.directPath ? network.media.get(media.directPath) : undefined
  if (!file || !media?.mediaKey) throw new Refused('the message has no file that can be opened')
  return openMedia(file, media.mediaKey, kindOf(held))
}
