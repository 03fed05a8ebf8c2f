import { randomBytes } from 'node:crypto'
import type { Event } from '../domain/event.ts'

/** Stands for a file while the rest of its event is written; nobody outside can know it. */
const PLACE = `file-${randomBytes(16).toString('hex')}`
const LARGE_CHARS = 65_536
const notBase64 = /[^A-Za-z0-9+/=]/

/**
 * The event as JSON, the same bytes that `JSON.stringify` gives. A large file is put in as it is: base64 needs no
 * escapes, and looking for them in 5 MB would hold up the process for tens of milliseconds.
 */
export function eventBytes(event: Event): Buffer {
  if (event.kind !== 'message' || event.media === undefined) return Buffer.from(JSON.stringify(event))
  const { data } = event.media
  if (data.length < LARGE_CHARS || notBase64.test(data)) return Buffer.from(JSON.stringify(event))
  const frame = JSON.stringify({ ...event, media: { ...event.media, data: PLACE } })
  const at = frame.indexOf(PLACE)
  return Buffer.concat([
    Buffer.from(frame.slice(0, at)),
    Buffer.from(data, 'latin1'),
    Buffer.from(frame.slice(at + PLACE.length)),
  ])
}
