import { randomBytes } from 'node:crypto'
import type { AnyEvent } from './event.ts'
import { inChunks, CHUNK_BYTES } from '../runtime/in-chunks.ts'

/** Stands for the file while the rest of its event is serialized; random, so that no content can contain it. */
const PLACE = `file-${randomBytes(16).toString('hex')}`
const notBase64 = /[^A-Za-z0-9+/=]/
const DATA_FIELD = '"data":"'
const FILE_BEGINS = Buffer.from(DATA_FIELD)
const QUOTE = 0x22

/**
 * The event as JSON, the same bytes that `JSON.stringify` gives. A large file is inserted in chunks: base64 needs no
 * escapes, and searching 5 MB for them would block the process for tens of milliseconds.
 */
export async function eventChunks(event: AnyEvent): Promise<Buffer[]> {
  const data = event.kind === 'message' ? (event.media?.data ?? '') : ''
  const file = data.length > CHUNK_BYTES ? await base64Chunks(data) : undefined
  if (file === undefined || event.kind !== 'message') return [Buffer.from(JSON.stringify(event))]
  const frame = JSON.stringify({ ...event, media: { ...event.media, data: PLACE } })
  const at = frame.indexOf(PLACE)
  return [Buffer.from(frame.slice(0, at)), ...file, Buffer.from(frame.slice(at + PLACE.length))]
}

/** `undefined` if it is not base64. */
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
 * Cuts the file out of an event's bytes, so that the rest can be parsed quickly. Inside a string the quotes around `data`
 * would be escaped, so only the property matches.
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
