import type { IncomingMessage } from 'node:http'

/** Each chunk of a body costs as much processor time as 64 KiB, so a body must not come in more chunks than this. */
const FREE_CHUNKS = 512
const BYTES_PER_FURTHER_CHUNK = 64

interface Chunks {
  count: number
  bytes: number
  /** The parser's hook counts them, before they become `data` events. */
  byParser: boolean
}

/** A property of the request: a map entry would cost more than the request. */
const CHUNKS = Symbol('chunks')
type Counted = IncomingMessage & { [CHUNKS]?: Chunks }

const areTooMany = ({ count, bytes }: Chunks): boolean => count > FREE_CHUNKS + bytes / BYTES_PER_FURTHER_CHUNK

/** Whether the body came in more chunks than its size allows; the rest of it has been dropped. */
export function isFragmented(request: IncomingMessage): boolean {
  const chunks = (request as Counted)[CHUNKS]
  return chunks !== undefined && areTooMany(chunks)
}

/** Counts a chunk as the parser finds it. Returns `false` if the body is too fragmented already. */
export function acceptChunk(request: IncomingMessage, chunk: Buffer): boolean {
  const chunks = ((request as Counted)[CHUNKS] ??= { count: 0, bytes: 0, byParser: true })
  if (areTooMany(chunks)) return false
  add(chunks, chunk)
  return true
}

/** Counts a `data` event, unless the parser's hook has counted it. Returns whether the body is too fragmented. */
export function isFragmentedWith(request: IncomingMessage, chunk: Buffer): boolean {
  const chunks = ((request as Counted)[CHUNKS] ??= { count: 0, bytes: 0, byParser: false })
  if (!chunks.byParser) add(chunks, chunk)
  return areTooMany(chunks)
}

function add(chunks: Chunks, chunk: Buffer): void {
  chunks.count++
  chunks.bytes += chunk.length
}
