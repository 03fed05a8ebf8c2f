import { IqError } from './iq-error.ts'

const MAX_SIDE = 640
const MAX_BYTES = 512 * 1024

/** The platform takes only square JPEGs for pictures of people, groups and channels; clients crop before. */
export function requirePicture(file: Uint8Array): void {
  const size = jpegSize(Buffer.from(file))
  const isRight = size !== undefined && size.width === size.height && size.width <= MAX_SIDE
  if (!isRight || file.length > MAX_BYTES) throw new IqError(406, 'not-acceptable')
}

/** By the segment that begins the frame. */
function jpegSize(file: Buffer): { readonly width: number; readonly height: number } | undefined {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= file.length; at += 2 + file.readUInt16BE(at + 2)) {
    if (file[at] !== 0xff) return undefined
    const marker = file[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) }
  }
  return undefined
}
