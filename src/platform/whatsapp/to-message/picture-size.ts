export interface PictureSize {
  width: number
  height: number
}

/** More than the largest common cameras produce; larger pictures are not opened. */
export const MAX_PIXELS = 50_000_000

/** The number of leading bytes that are read; in a JPEG the size comes after the camera's metadata. */
export const PICTURE_HEAD_BYTES = 256 * 1024

/**
 * The size of a JPEG, PNG or WebP by its first bytes, read before any decoder opens it. `undefined` for other formats,
 * whatever content type its server declares.
 */
export function pictureSize(head: Uint8Array): PictureSize | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const found = startsWith(bytes, 0, PNG)
    ? pngSize(bytes)
    : startsWith(bytes, 0, JPEG)
      ? jpegSize(bytes)
      : isText(bytes, 0, 'RIFF') && isText(bytes, 8, 'WEBP')
        ? webpSize(bytes)
        : undefined
  return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const JPEG = Buffer.from('ffd8ff', 'hex')

const startsWith = (bytes: Buffer, at: number, what: Buffer): boolean =>
  bytes.subarray(at, at + what.length).equals(what)
const isText = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

function pngSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 24 || !isText(bytes, 12, 'IHDR')) return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Follows the markers up to the one that begins a frame; each step is forward. */
function jpegSize(bytes: Buffer): PictureSize | undefined {
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    else if (hasNoLength(marker)) at += 2
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return undefined
}

/** C0 to CF begin a frame, except three that begin tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const hasNoLength = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

function webpSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 30) return undefined
  if (isText(bytes, 12, 'VP8X')) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (isText(bytes, 12, 'VP8L') && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (isText(bytes, 12, 'VP8 ') && startsWith(bytes, 23, Buffer.from('9d012a', 'hex')))
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  return undefined
}
