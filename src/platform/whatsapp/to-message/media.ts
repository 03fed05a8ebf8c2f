import { createReadStream } from 'node:fs'
import { extractImageThumb, prepareWAMessageMedia, type proto, type WASocket } from 'baileys'
import type { Content } from '../../../domain/message.ts'
import { transient } from '../errors.ts'
import { type FetchedMedia, type GuardedDownload, withFetchedMedia } from './fetch-media.ts'

type Media = Extract<Content, { type: 'media' }>

const UPLOAD_TIMEOUT_MS = 120_000
const THUMBNAIL_MAX_BYTES = 16 * 1024 * 1024

/** Fetches the file, puts it on the platform's media server, and describes it. */
export function mediaMessage(
  content: Media,
  to: string,
  sock: WASocket,
  download: GuardedDownload,
  signal: AbortSignal,
): Promise<proto.IMessage> {
  return withFetchedMedia(content, download, signal, async media => {
    const described = await describe(content, media)
    try {
      const uploaded = await prepareWAMessageMedia(described, {
        upload: sock.waUploadToServer,
        jid: to,
        mediaUploadTimeoutMs: UPLOAD_TIMEOUT_MS,
      })
      return wrap(content, uploaded)
    } catch {
      throw transient('the media could not be uploaded to the platform')
    }
  })
}

type Described = Parameters<typeof prepareWAMessageMedia>[0]

async function describe(content: Media, media: FetchedMedia): Promise<Described> {
  const stream = { stream: createReadStream(media.path) }
  const { mimetype } = media
  const caption = content.caption === '' ? {} : { caption: content.caption }
  switch (content.mediaType) {
    case 'image':
      return { image: stream, mimetype, ...caption, ...(await thumbnail(media)) }
    case 'video':
      // A thumbnail given as empty keeps the library from starting a program to make one.
      return { video: stream, mimetype, ...caption, jpegThumbnail: '' } as Described
    case 'audio':
      return { audio: stream, mimetype }
    case 'voice':
      return { audio: stream, mimetype, ptt: true }
    case 'document':
      return { document: stream, mimetype, fileName: content.filename ?? nameOf(content.url), ...caption }
    case 'sticker':
      return { sticker: stream, mimetype } as Described
    default: {
      const never: never = content.mediaType
      return never
    }
  }
}

async function thumbnail(media: FetchedMedia): Promise<{ jpegThumbnail: string; width?: number; height?: number }> {
  if (media.bytes > THUMBNAIL_MAX_BYTES) return { jpegThumbnail: '' }
  try {
    const { buffer, original } = await extractImageThumb(media.path)
    const { width, height } = original
    return { jpegThumbnail: buffer.toString('base64'), ...(width && height && { width, height }) }
  } catch {
    return { jpegThumbnail: '' }
  }
}

function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').pop() ?? ''
  try {
    return decodeURIComponent(last) || 'file'
  } catch {
    return last || 'file'
  }
}

function wrap(content: Media, uploaded: proto.IMessage): proto.IMessage {
  if (content.viewOnce) return { viewOnceMessageV2: { message: asViewOnce(uploaded) } }
  if (content.mediaType === 'document' && content.caption !== '')
    return { documentWithCaptionMessage: { message: uploaded } }
  return uploaded
}

function asViewOnce(message: proto.IMessage): proto.IMessage {
  for (const part of [message.imageMessage, message.videoMessage, message.audioMessage]) if (part) part.viewOnce = true
  return message
}
