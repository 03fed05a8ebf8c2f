import type { MediaType } from '../../../domain/message.ts'

const MAGIC: ReadonlyArray<[mimetype: string, offset: number, bytes: string]> = [
  ['image/jpeg', 0, 'ffd8ff'],
  ['image/png', 0, '89504e470d0a1a0a'],
  ['image/gif', 0, '47494638'],
  ['image/webp', 8, '57454250'],
  ['image/bmp', 0, '424d'],
  ['audio/wav', 8, '57415645'],
  ['video/x-msvideo', 8, '41564920'],
  ['audio/ogg', 0, '4f676753'],
  ['audio/mpeg', 0, '494433'],
  ['audio/mpeg', 0, 'fffb'],
  ['audio/mpeg', 0, 'fff3'],
  ['audio/aac', 0, 'fff1'],
  ['audio/aac', 0, 'fff9'],
  ['audio/amr', 0, '2321414d52'],
  ['audio/flac', 0, '664c6143'],
  ['audio/mp4', 4, '667479704d344120'],
  ['image/heic', 4, '6674797068656963'],
  ['image/heic', 4, '6674797068656978'],
  ['image/heif', 4, '667479706d696631'],
  ['image/avif', 4, '6674797061766966'],
  ['image/tiff', 0, '49492a00'],
  ['image/tiff', 0, '4d4d002a'],
  ['video/quicktime', 4, '6674797071742020'],
  ['video/3gpp', 4, '66747970336770'],
  ['video/mp4', 4, '66747970'],
  ['video/webm', 0, '1a45dfa3'],
  ['application/pdf', 0, '25504446'],
  ['application/zip', 0, '504b0304'],
]

/** The number of leading bytes that identify a format. */
export const HEAD_BYTES = 64

const BELONGS: Record<MediaType, { pattern: RegExp; what: string }> = {
  image: { pattern: /^image\//, what: 'an image' },
  video: { pattern: /^video\//, what: 'a video' },
  audio: { pattern: /^(audio\/|video\/(mp4|webm|3gpp))/, what: 'audio' },
  voice: { pattern: /^(audio\/|video\/(mp4|webm|3gpp))/, what: 'audio' },
  sticker: { pattern: /^image\/webp$/, what: 'a WebP image' },
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

function sniff(head: Uint8Array): string | undefined {
  const hex = Buffer.from(head.subarray(0, HEAD_BYTES)).toString('hex')
  return MAGIC.find(([, offset, bytes]) => hex.startsWith(bytes, offset * 2))?.[0]
}

function normalize(mediaType: MediaType, mimetype: string): string {
  if (mediaType === 'voice' && mimetype === 'audio/ogg') return 'audio/ogg; codecs=opus'
  if (mediaType === 'audio' || mediaType === 'voice') return mimetype.replace(/^video\//, 'audio/')
  return mimetype
}
