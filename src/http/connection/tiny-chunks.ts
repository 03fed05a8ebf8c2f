import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Chunks that come free, and bytes that each further chunk must carry on average. */
const FREE_CHUNKS = 512
const BYTES_PER_CHUNK = 64

interface Chunks {
  count: number
  bytes: number
}

/** What Node calls for each chunk of a body. Its parsers serve one connection after the other. */
const ON_BODY = 3
interface Parser {
  incoming?: IncomingMessage | null
  [ON_BODY]?: (this: Parser, chunk: Buffer) => void
}

const guarded = new WeakSet<Parser>()
/** Kept on the request itself: a map of all of them costs more than the request. */
const COMING = Symbol('chunks')
type Coming = IncomingMessage & { [COMING]?: Chunks }

const isCrumbs = ({ count, bytes }: Chunks): boolean => count > FREE_CHUNKS + bytes / BYTES_PER_CHUNK

/** Whether more chunks came than such a body needs: the rest of it is not there. */
export function isFragmented(request: IncomingMessage): boolean {
  const chunks = (request as Coming)[COMING]
  return chunks !== undefined && isCrumbs(chunks)
}

/**
 * A byte costs as much as 64 KiB where each comes by itself, and the parser goes through all that one read brought before
 * anything else goes on. So a body in crumbs is dropped where it comes out of the parser, and no more of it is read.
 */
export function rejectTinyChunks(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: Parser }
  const next = parser?.[ON_BODY]
  if (parser === undefined || next === undefined || guarded.has(parser)) return
  guarded.add(parser)
  parser[ON_BODY] = function (chunk) {
    const request = this.incoming as Coming | null | undefined
    // Answers to questions of our own have no method.
    if (request === null || request === undefined || typeof request.method !== 'string') return next.call(this, chunk)
    const chunks = (request[COMING] ??= { count: 0, bytes: 0 })
    if (isCrumbs(chunks)) return void request.socket.pause()
    chunks.count++
    chunks.bytes += chunk.length
    next.call(this, chunk)
  }
}
