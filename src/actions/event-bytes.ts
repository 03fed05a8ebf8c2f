import { randomBytes } from 'node:crypto'
import type { Event } from '../domain/event.ts'
import { inChunks, CHUNK_BYTES } from '../runtime/in-chunks.ts'

/** Stands for a file while the rest of its event is written; nobody outside can know it. */
const PLACE = `file-${randomBytes(16).toString('hex')}`
const notBase64 = /[^A-Za-z0-9+/=]/
const FILE_BEGINS = Buffer.from('"data":"')
const QUOTE = 0x22

/**
 * The event as JSON, together the same bytes that `JSON.stringify` gives. A large file is put in as it is, a chunk at a
 * time: base64 needs no escapes, and looking for them in 5 MB would hold up the process for tens of milliseconds.
 */
export async function eventChunks(event: Event): Promise<Buffer[]> {
  const data = event.kind === 'message' ? (event.media?.data ?? '') : ''
  const file = data.length > CHUNK_BYTES ? await base64Chunks(data) : undefined
  if (file === undefined || event.kind !== 'message') return [Buffer.from(JSON.stringify(event))]
  const frame = JSON.stringify({ ...event, media: { ...event.media, data: PLACE } })
  const at = frame.indexOf(PLACE)
  return [Buffer.from(frame.slice(0, at)), ...file, Buffer.from(frame.slice(at + PLACE.length))]
}

/** Undefined where it is no base64. */
async function base64Chunks(data: string): Promise<Buffer[] | undefined> {
  const chunks: Buffer[] = []
  let isBase64 = true
  await inChunks(data.length, (start, end) => {
    const chunk = data.slice(start, end)
    isBase64 &&= !notBase64.test(chunk)
    chunks.push(Buffer.from(chunk, 'latin1'))
  })
  return isBase64 ? chunks : undefined
}

/**
 * Takes the file out of an event's bytes, so that the rest can be read as JSON in no time. Inside a text the quotes of
 * the name would be escaped, so the name is found only where it is one.
 */
export function cutFile(payload: Buffer): { rest: Buffer; file: Buffer } {
  const name = payload.indexOf(FILE_BEGINS)
  const start = name + FILE_BEGINS.length
  const end = name === -1 ? -1 : payload.indexOf(QUOTE, start)
  if (end === -1) return { rest: payload, file: payload.subarray(0, 0) }
  return {
    rest: Buffer.concat([payload.subarray(0, start), payload.subarray(end)]),
    file: payload.subarray(start, end),
  }
}
