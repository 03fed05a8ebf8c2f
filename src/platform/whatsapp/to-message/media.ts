import type { Readable } from 'node:stream'
import { prepareWAMessageMedia, type proto, type WASocket } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { jidKind } from '../../../domain/jid.ts'
import { mediaIdOf, transferMs } from '../../../domain/media.ts'
import type { Content } from '../../../domain/message.ts'
import { uploadIdOf } from '../../../domain/upload.ts'
import { mediaFailed, transient } from '../errors.ts'
import { TargetError } from '../../../net/failure.ts'
import type { MediaRoute } from '../engine/socket-config.ts'
import { type Converted, convertMedia } from './convert-media.ts'
import { examiner, type Findings, type Turn } from './examine-media.ts'
import { type FetchedMedia, type GuardedDownload, withFetchedMedia } from './fetch-media.ts'
import { MAX_PIXELS, PICTURE_HEAD_BYTES, pictureSize } from './picture-size.ts'
import { type Uploadable, type UploadedMedia, uploadUnencrypted } from './upload-unencrypted.ts'

/** `field` is the one that names the file, for failures. */
type Media = Extract<Content, { type: 'media' }> & { field?: string }

const UPLOAD_TIMEOUT_MS = 120_000

const uploadTimeoutMs = (bytes: number): number => UPLOAD_TIMEOUT_MS + transferMs(bytes)
const THUMBNAIL_MAX_BYTES = 16 * 1024 * 1024

/** Examines the file within limits; without findings the message is sent without them. */
type Examine = (question: Asked) => ReturnType<typeof examiner.examine>
type Asked = { about: 'thumbnail' | 'seconds' } | { about: 'video'; ffmpeg: string | null }

interface Around {
  turn: Turn
  clock: Clock
  download: GuardedDownload
  mediaRoute: MediaRoute
  /** The path of ffmpeg; `null` if it is not installed. */
  ffmpeg: string | null
}

/** Fetches the file, uploads it to the platform's media server, and composes its message. */
export function mediaMessage(
  content: Media,
  to: string,
  sock: WASocket,
  { turn, clock, download, mediaRoute, ffmpeg }: Around,
  signal: AbortSignal,
): Promise<UploadedMedia> {
  return withFetchedMedia(content, download, signal, async fetched => {
    const converted = await convertMedia(content, fetched, { turn, ffmpeg, signal })
    const { media } = converted
    const examine: Examine = async question =>
      media.file ? await examiner.examine(turn, { ...question, ...media.file }, signal) : {}
    const { type, fields } = await describe(content, converted, { examine, ffmpeg })
    let unreadable: TargetError | undefined
    const read = (): Readable =>
      media.read().once('error', error => {
        if (error instanceof TargetError) unreadable = error
      })
    try {
      if (jidKind(to) === 'channel') {
        const upload = {
          ...media,
          read,
          agent: mediaRoute.upload,
          timeoutMs: uploadTimeoutMs(media.bytes),
          nowMs: clock.now().getTime(),
        }
        const { message, ...rest } = await uploadUnencrypted(sock, type, fields, upload)
        return { message: wrap(content, message), ...rest }
      }
      const described = { [type]: { stream: read() }, ...fields } as unknown as Preparing
      const uploaded = await prepareWAMessageMedia(described, {
        upload: sock.waUploadToServer,
        jid: to,
        mediaUploadTimeoutMs: uploadTimeoutMs(media.bytes),
      })
      return { message: wrap(content, uploaded) }
    } catch {
      if (unreadable !== undefined) throw mediaFailed(`media_id: ${unreadable.failure.text}`)
      throw transient('the media could not be uploaded to the platform')
    }
  })
}

type Preparing = Parameters<typeof prepareWAMessageMedia>[0]

interface Tools {
  examine: Examine
  ffmpeg: string | null
}

interface Described {
  type: Uploadable
  fields: object
}

/** Fields that are set, even to null, keep the library from opening the file itself or starting programs for it. */
async function describe(content: Media, converted: Converted, tools: Tools): Promise<Described> {
  const details = await detailsOf(content, converted, tools)
  const { media } = converted
  const caption = content.caption === '' ? {} : { caption: content.caption }
  const { mimetype } = media
  switch (content.mediaType) {
    case 'image':
    case 'video':
      return { type: content.mediaType, fields: { mimetype, ...caption, ...details } }
    case 'audio':
    case 'voice':
      return { type: 'audio', fields: { mimetype, ...details } }
    case 'document':
      return {
        type: 'document',
        fields: { mimetype, fileName: content.filename ?? media.filename ?? nameOf(content.url), ...caption },
      }
    case 'sticker':
      return { type: 'sticker', fields: { mimetype } }
    default: {
      const never: never = content.mediaType
      return never
    }
  }
}

async function detailsOf({ mediaType }: Media, converted: Converted, { examine, ffmpeg }: Tools): Promise<object> {
  const { media } = converted
  switch (mediaType) {
    case 'image':
      return await pictureDetails(media, examine)
    case 'video':
      return videoDetails(await examine({ about: 'video', ffmpeg }))
    case 'audio':
      return await soundDetails(examine)
    case 'voice':
      return { ...(await soundDetails(examine, converted.seconds)), ptt: true, waveform: converted.waveform ?? null }
    default:
      return {}
  }
}

async function pictureDetails(media: FetchedMedia, examine: Examine): Promise<object> {
  const size = pictureSize(await media.head(PICTURE_HEAD_BYTES))
  if (size === undefined) return { jpegThumbnail: null }
  const isSmall = media.bytes <= THUMBNAIL_MAX_BYTES && size.width * size.height <= MAX_PIXELS
  const { thumbnail = null } = isSmall ? await examine({ about: 'thumbnail' }) : {}
  return { jpegThumbnail: thumbnail, ...size }
}

async function soundDetails(examine: Examine, known?: number): Promise<object> {
  const seconds = known ?? (await examine({ about: 'seconds' })).seconds
  return { seconds: seconds === undefined ? null : Math.floor(seconds) }
}

const videoDetails = ({ thumbnail, seconds, width, height }: Findings): object => ({
  jpegThumbnail: thumbnail ?? null,
  ...(seconds !== undefined && { seconds: Math.floor(seconds) }),
  ...(width !== undefined && { width, height }),
})

function nameOf(url: string): string {
  if (uploadIdOf(url) !== undefined || mediaIdOf(url) !== undefined) return 'file'
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
