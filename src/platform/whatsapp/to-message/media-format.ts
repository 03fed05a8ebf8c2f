import { sniff } from '../../../domain/file-format.ts'
import type { MediaType } from '../../../domain/message.ts'

const BELONGS: Record<MediaType, { pattern: RegExp; what: string }> = {
  image: { pattern: /^image\//, what: 'an image' },
  video: { pattern: /^video\//, what: 'a video' },
  audio: { pattern: /^(audio\/|video\/(mp4|webm|3gpp))/, what: 'audio' },
  voice: { pattern: /^(audio\/|video\/(mp4|webm|3gpp))/, what: 'audio' },
  sticker: { pattern: /^image\//, what: 'an image' },
  document: { pattern: /./, what: 'a file' },
}

/**
 * The format of a file, by its first bytes if they are known, otherwise by the server's content type, which is not
 * enough for pictures. Returns the problem if the file cannot be used as that type.
 */
export function formatOf(
  mediaType: MediaType,
  head: Uint8Array,
  contentType: string,
): { mimetype: string } | { problem: string } {
  const declared = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const sniffed = sniff(head)
  const mimetype = sniffed ?? declared
  if (mediaType === 'document') return { mimetype: declared || mimetype || 'application/octet-stream' }
  const { pattern, what } = BELONGS[mediaType]
  const isPicture = mediaType === 'image' || mediaType === 'sticker'
  if (!pattern.test(mimetype)) return { problem: `the content is ${named(mimetype)}, not ${what}` }
  if (isPicture && sniffed === undefined)
    return { problem: `the content is of an unknown type, not ${what}, although it is declared as ${named(declared)}` }
  return { mimetype: normalize(mediaType, mimetype) }
}

const named = (mimetype: string): string => (mimetype === '' ? 'of an unknown type' : mimetype.slice(0, 60))

function normalize(mediaType: MediaType, mimetype: string): string {
  if (mediaType === 'voice' && mimetype === 'audio/ogg') return 'audio/ogg; codecs=opus'
  if (mediaType === 'audio' || mediaType === 'voice') return mimetype.replace(/^video\//, 'audio/')
  return mimetype
}
