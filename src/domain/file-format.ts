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

/** The type of a file by its first bytes; `undefined` if they are not known. */
export function sniff(head: Uint8Array): string | undefined {
  const hex = Buffer.from(head.subarray(0, HEAD_BYTES)).toString('hex')
  return MAGIC.find(([, offset, bytes]) => hex.startsWith(bytes, offset * 2))?.[0]
}

const UNKNOWN = 'application/octet-stream'
/** Containers of sound that begin like films. */
const FILMS = /^video\/(mp4|webm|3gpp)$/

/**
 * The type of a file that is declared as one type: its first bytes decide, unless they fit the declared type too. Office
 * documents begin like any archive.
 */
export function fileTypeBy(head: Uint8Array, declared: string | undefined): string {
  const sniffed = sniff(head)
  if (sniffed === undefined || declared === undefined || declared === UNKNOWN) return sniffed ?? declared ?? UNKNOWN
  if (sniffed === 'application/zip' && declared.startsWith('application/')) return declared
  return declared.startsWith('audio/') && FILMS.test(sniffed) ? declared : sniffed
}
