import { crc32, deflateRawSync, constants } from 'node:zlib'

interface PngShape {
  width: number
  height: number
  interlaced?: boolean
  /** 16 bits per channel with alpha: the maximum per pixel. */
  deep?: boolean
}

/** A black PNG of any size with a small file: its data repeat one block. */
export function blackPng({ width, height, interlaced = false, deep = false }: PngShape): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(deep ? [16, 6, 0, 0, interlaced ? 1 : 0] : [8, 2, 0, 0, interlaced ? 1 : 0], 8)
  const bytesPerPixel = deep ? 8 : 3
  const rows = interlaced ? ADAM7.map(pass => passSize(pass, width, height)) : [{ width, height }]
  const total = rows.reduce(
    (sum, pass) => sum + (pass.width === 0 ? 0 : pass.height * (pass.width * bytesPerPixel + 1)),
    0,
  )
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', zeros(total)), chunk('IEND', Buffer.alloc(0))])
}

const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function passSize([x, y, dx, dy]: (typeof ADAM7)[number], width: number, height: number) {
  return { width: Math.max(0, Math.ceil((width - x) / dx)), height: Math.max(0, Math.ceil((height - y) / dy)) }
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

const BLOCK = 8 * 1024 * 1024

/** This many zeros as a zlib stream, made without allocating them. */
function zeros(count: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(BLOCK), { finishFlush: constants.Z_FULL_FLUSH })
  const blocks = Array.from({ length: Math.floor(count / BLOCK) }, () => block)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt16BE(count % 65_521, 0)
  checksum.writeUInt16BE(1, 2)
  return Buffer.concat([Buffer.from('7801', 'hex'), ...blocks, deflateRawSync(Buffer.alloc(count % BLOCK)), checksum])
}
