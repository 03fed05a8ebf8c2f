import type { proto } from 'baileys'
import type { MediaPart } from '../../../domain/event.ts'
import { extensionOf } from './media-extension.ts'

/** Media as the sender describes them; nothing of it can be trusted. */
export interface IncomingMedia {
  type: 'image' | 'video' | 'audio' | 'document' | 'sticker'
  part: {
    mimetype?: string | null
    fileLength?: number | proto.Message.IImageMessage['fileLength']
    fileSha256?: Uint8Array | null
    mediaKey?: Uint8Array | null
    directPath?: string | null
    url?: string | null
    fileName?: string | null
  }
}

export type Fetched = { status: 'downloaded'; bytes: Uint8Array } | { status: 'too_large' | 'error' }

export function mediaPart(media: IncomingMedia, fetched: Fetched): MediaPart {
  const { part, type } = media
  const mimetype = part.mimetype ?? ''
  const bytes = fetched.status === 'downloaded' ? fetched.bytes : undefined
  const filename = type === 'document' ? (part.fileName ?? '') : ''
  return {
    mimetype,
    extension: extensionOf(mimetype, filename),
    ...(type === 'document' && { filename }),
    file_length: bytes?.length ?? claimedLength(media),
    data: bytes ? Buffer.from(bytes).toString('base64') : '',
    status: fetched.status,
  }
}

export function claimedLength({ part }: IncomingMedia): number {
  const length = Number(part.fileLength ?? 0)
  return Number.isSafeInteger(length) && length >= 0 ? length : 0
}
