import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { readSealed, readSealedPart, type SealedFile } from './sealed-file.ts'

/** Phones write the index of a recording last, at most this large. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024
/** More boxes than that are not a recording. */
const MAX_BOXES = 1_000

interface Box {
  name: string
  start: number
  end: number
}

/**
 * The file as a program can read it that cannot seek: in an MP4 whose index comes after the content, the index comes
 * first.
 */
export async function streamable(file: SealedFile): Promise<Readable> {
  const boxes = await topBoxes(file)
  const content = boxes.find(({ name }) => name === 'mdat')
  const index = boxes.find(({ name }) => name === 'moov')
  if (content === undefined || index === undefined || index.start < content.start) return readSealed(file)
  if (index.end - index.start > MAX_INDEX_BYTES) return readSealed(file)
  const moved = await readSealedPart(file, index.start, index.end - index.start)
  shiftOffsets(moved, { from: content.start, to: index.start, by: moved.length })
  return Readable.from(reordered(file, moved, { content, index }))
}

async function* reordered(file: SealedFile, moved: Buffer, { content, index }: { content: Box; index: Box }) {
  yield await readSealedPart(file, 0, content.start)
  yield moved
  yield* readSealed(file, content.start, index.start)
  yield* readSealed(file, index.end)
}

async function topBoxes(file: SealedFile): Promise<Box[]> {
  const { size } = await stat(file.path)
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= size && boxes.length < MAX_BOXES; ) {
    const head = await readSealedPart(file, at, 16)
    const name = head.toString('latin1', 4, 8)
    if (at === 0 && name !== 'ftyp') return []
    const bytes = boxBytes(head) ?? size - at
    if (bytes < 8) return []
    boxes.push({ name, start: at, end: Math.min(size, at + bytes) })
    at += bytes
  }
  return boxes
}

/** `undefined`: up to the end of what contains it. */
function boxBytes(head: Buffer): number | undefined {
  const bytes = head.readUInt32BE(0)
  if (bytes === 1 && head.length >= 16) return Number(head.readBigUInt64BE(8))
  return bytes === 0 ? undefined : bytes
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

interface Shift {
  from: number
  to: number
  by: number
}

/** Chunks of the content are found by their place in the file, which changes. */
function shiftOffsets(boxes: Buffer, shift: Shift): void {
  for (let at = 0; at + 8 <= boxes.length; ) {
    const bytes = boxBytes(boxes.subarray(at)) ?? boxes.length - at
    if (bytes < 8) return
    const box = boxes.subarray(at, at + bytes)
    const name = box.toString('latin1', 4, 8)
    if (CONTAINERS.has(name)) shiftOffsets(box.subarray(box.readUInt32BE(0) === 1 ? 16 : 8), shift)
    else if (name === 'stco') shiftEach(box, 4, shift)
    else if (name === 'co64') shiftEach(box, 8, shift)
    at += bytes
  }
}

function shiftEach(box: Buffer, width: 4 | 8, { from, to, by }: Shift): void {
  const read = (at: number): number => (width === 4 ? box.readUInt32BE(at) : Number(box.readBigUInt64BE(at)))
  for (let at = 16; at + width <= box.length; at += width) {
    const offset = read(at)
    if (offset < from || offset >= to) continue
    if (width === 4) box.writeUInt32BE(Math.min(offset + by, 0xff_ff_ff_ff), at)
    else box.writeBigUInt64BE(BigInt(offset + by), at)
  }
}
