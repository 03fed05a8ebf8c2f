import type { Readable } from 'node:stream'
import { prepareWAMessageMedia, type proto, type WASocket } from 'baileys'
import { linkIn } from '../../../domain/compose.ts'
import { jidKind } from '../../../domain/jid.ts'
import { mediaIdOf } from '../../../domain/media.ts'
import type { Content } from '../../../domain/message.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { mediaFailed, transient } from '../errors.ts'
import { convertToPreview } from './convert-media.ts'
import type { Turn } from './examine-media.ts'
import { type GuardedDownload, withFetchedMedia } from './fetch-media.ts'

/** The fields of a text that show a preview. */
export type LinkPreview = Pick<
  proto.Message.IExtendedTextMessage,
  | 'matchedText'
  | 'title'
  | 'description'
  | 'previewType'
  | 'jpegThumbnail'
  | 'thumbnailDirectPath'
  | 'thumbnailSha256'
  | 'thumbnailEncSha256'
  | 'thumbnailWidth'
  | 'thumbnailHeight'
  | 'mediaKey'
  | 'mediaKeyTimestamp'
>

type Text = Extract<Content, { type: 'text' }>

/** The preview of the first link in a text, with the picture that the customer gave. */
export async function previewOf(
  { text, previewImage }: Text,
  to: string,
  sock: Pick<WASocket, 'waUploadToServer'>,
  { turn, download }: { turn: Turn; download: GuardedDownload },
  signal: AbortSignal,
): Promise<LinkPreview | undefined> {
  const page = await pageOf(text, download, signal)
  const url = linkIn(text)
  if (previewImage === undefined || url === undefined) return page
  const field = `link_preview.${mediaIdOf(previewImage) === undefined ? 'image_url' : 'image_media_id'}`
  const source = { url: previewImage, mediaType: 'image', field } as const
  const picture = await withFetchedMedia(source, download, signal, async media => {
    const converted = await convertToPreview(media, { turn, signal })
    if (converted === undefined)
      throw mediaFailed(`${field}: the picture cannot be opened: send a JPEG, PNG, WebP or GIF image`)
    const { thumbnail: jpegThumbnail, width, height, read } = converted
    // A channel keeps its files unencrypted in places of their own; its posts have the small picture.
    if (jidKind(to) === 'channel') return { jpegThumbnail }
    const uploaded = await uploadThumbnail(sock, read)
    return { jpegThumbnail, thumbnailWidth: width, thumbnailHeight: height, ...uploaded }
  })
  return {
    ...(page ?? { matchedText: url, title: new URL(url).hostname, description: '' }),
    previewType: 0,
    ...picture,
  }
}

const UPLOAD_TIMEOUT_MS = 60_000

/** Fields that are set keep the library from opening the picture itself. */
async function uploadThumbnail({ waUploadToServer }: Pick<WASocket, 'waUploadToServer'>, read: () => Readable) {
  const described = { image: { stream: read() }, mimetype: 'image/jpeg', jpegThumbnail: '', width: 0, height: 0 }
  const uploaded = await prepareWAMessageMedia(described as unknown as Parameters<typeof prepareWAMessageMedia>[0], {
    upload: waUploadToServer,
    mediaTypeOverride: 'thumbnail-link',
    mediaUploadTimeoutMs: UPLOAD_TIMEOUT_MS,
  }).catch(() => {
    throw transient('the picture of the preview could not be uploaded to the platform')
  })
  const { directPath, mediaKey, mediaKeyTimestamp, fileSha256, fileEncSha256 } = uploaded.imageMessage!
  return {
    thumbnailDirectPath: directPath!,
    thumbnailSha256: fileSha256!,
    thumbnailEncSha256: fileEncSha256!,
    mediaKey: mediaKey!,
    mediaKeyTimestamp: mediaKeyTimestamp!,
  }
}

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 5_000
const MAX_TAG = 2_000
const MAX_TITLE = 300

/** Fetches title and description of the first link in a text. A page that cannot be fetched gives no preview. */
export async function pageOf(
  text: string,
  download: GuardedDownload,
  signal: AbortSignal,
): Promise<LinkPreview | undefined> {
  const url = linkIn(text)
  if (url === undefined) return undefined
  const page = await download({ url, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, signal })
  if (!page.ok) return undefined
  const chunks: Buffer[] = []
  try {
    for await (const chunk of page.body) chunks.push(chunk as Buffer)
  } catch {
    // The part before the failure may be enough for a title.
  }
  const html = Buffer.concat(chunks).toString()
  const title = meta(html, 'og:title') ?? titleOf(html)
  if (!title) return undefined
  const description = meta(html, 'og:description') ?? meta(html, 'description') ?? ''
  return { matchedText: url, title: decodeEntities(title), description: decodeEntities(description) }
}

function titleOf(html: string): string | undefined {
  for (const { end } of tags(html, 'title')) return html.slice(end + 1, end + 1 + MAX_TITLE).split('<', 1)[0]
  return undefined
}

function meta(html: string, name: string): string | undefined {
  const named = new RegExp(`(?:property|name)=["']${name}["']`, 'i')
  for (const { tag } of tags(html, 'meta')) {
    if (named.test(tag)) return /content=(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).find(Boolean)
  }
  return undefined
}

/** The tags of a page in one pass: the page is untrusted, so no pattern may scan it repeatedly. */
function* tags(html: string, name: string): Generator<{ tag: string; end: number }> {
  const begins = new RegExp(`<${name}\\b`, 'gi')
  for (let found = begins.exec(html); found; found = begins.exec(html)) {
    const end = html.indexOf('>', found.index)
    if (end === -1) return
    if (end - found.index <= MAX_TAG) yield { tag: html.slice(found.index, end), end }
    begins.lastIndex = end
  }
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function decodeEntities(text: string): string {
  return text
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return getOwn(NAMED, (name as string).toLowerCase()) ?? whole
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
    })
    .trim()
}
