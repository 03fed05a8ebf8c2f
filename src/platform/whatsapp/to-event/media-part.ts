import type { proto } from 'baileys'
import type { MediaPart } from '../../../domain/event.ts'
import { getOwn } from '../../../runtime/get-own.ts'

/** Media as the sender describes them; none of it can be trusted. */
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

const BY_MIMETYPE: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/wav': 'wav',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/json': 'json',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/vcard': 'vcf',
}

/** Without the dot; from the file's name, otherwise from its type; `bin` if neither gives one. */
function extensionOf(mimetype: string, filename: string): string {
  const named = /\.([A-Za-z0-9]{1,10})$/.exec(filename)?.[1]
  if (named !== undefined) return named.toLowerCase()
  const type = mimetype.split(';')[0]?.trim().toLowerCase() ?? ''
  const subtype = /^[\w.+-]+\/(?:x-)?([a-z0-9]{1,10})$/.exec(type)?.[1]
  return getOwn(BY_MIMETYPE, type) ?? subtype ?? 'bin'
}
