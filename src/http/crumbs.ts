import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Pieces that come free, and bytes that each further piece must carry on average. */
const FREE_PIECES = 1_024
const BYTES_PER_PIECE = 64

interface Pieces {
  count: number
  bytes: number
}

/** What Node calls for each piece of a body. Its parsers serve one connection after the other. */
const ON_BODY = 3
interface Parser {
  incoming?: IncomingMessage | null
  [ON_BODY]?: (this: Parser, piece: Buffer) => void
}

const guarded = new WeakSet<Parser>()
const coming = new WeakMap<IncomingMessage, Pieces>()

const isCrumbs = ({ count, bytes }: Pieces): boolean => count > FREE_PIECES + bytes / BYTES_PER_PIECE

/** Whether more pieces came than such a body needs: the rest of it is not there. */
export function isInCrumbs(request: IncomingMessage): boolean {
  const pieces = coming.get(request)
  return pieces !== undefined && isCrumbs(pieces)
}

/**
 * A byte costs as much as 64 KiB where each comes by itself, and the parser goes through all that one read brought before
 * anything else has a turn. So a body in crumbs is dropped where it comes out of the parser, and no more of it is read.
 */
export function dropCrumbs(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: Parser }
  const next = parser?.[ON_BODY]
  if (parser === undefined || next === undefined || guarded.has(parser)) return
  guarded.add(parser)
  parser[ON_BODY] = function (piece) {
    const request = this.incoming
    // Answers to questions of our own have no method.
    if (request === null || request === undefined || typeof request.method !== 'string') return next.call(this, piece)
    let pieces = coming.get(request)
    if (pieces === undefined) coming.set(request, (pieces = { count: 0, bytes: 0 }))
    if (isCrumbs(pieces)) return void request.socket.pause()
    pieces.count++
    pieces.bytes += piece.length
    next.call(this, piece)
  }
}
