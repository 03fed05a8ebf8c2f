import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/**
 * This file alone touches Node's private HTTP parser. The parser processes everything that one read returned, perhaps
 * thousands of requests or chunks, before any other code runs, and no public API can stop it in between. Callers fall back
 * to public events if `hookParser` returns `false`.
 */
interface Parser {
  incoming?: IncomingMessage | null
  /** Node calls it for each request. */
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number
  /** Node calls it for each chunk of a body. */
  [ON_BODY]?: (this: Parser, chunk: Buffer) => void
}

const ON_BODY = 3
/** The return value of `onIncoming` that makes a request the last one that the parser reads. */
const LAST_REQUEST = 2

/** The major versions of Node that CI runs: their parsers have the fields above. */
const KNOWN_MAJORS = { first: 20, last: 24 }

interface ParserHooks {
  /** Whether a request that asks for another protocol may get it. */
  mayUpgrade(request: IncomingMessage): boolean
  /** `false` destroys the connection, and none of its further requests is read. */
  acceptRequest(): boolean
  /** `false` drops the chunk and pauses the connection. */
  acceptChunk(request: IncomingMessage, chunk: Buffer): boolean
}

/** Node uses a parser for one connection after the other, and sets `onIncoming` for each of them, but its other callbacks once. */
const hookedParsers = new WeakSet<Parser>()

/** CONNECT has its own event. */
const isUpgrade = (
  request: IncomingMessage & { upgrade?: boolean },
): request is IncomingMessage & { upgrade: boolean } => request.upgrade === true && request.method !== 'CONNECT'

/** Returns whether this version of Node has the parser that the hooks need. */
export function hookParser(socket: Socket, hooks: ParserHooks, nodeVersion = process.versions.node): boolean {
  const major = Number.parseInt(nodeVersion, 10)
  if (major < KNOWN_MAJORS.first || major > KNOWN_MAJORS.last) return false
  const { parser } = socket as Socket & { parser?: Parser | null }
  const onIncoming = parser?.onIncoming
  const onBody = parser?.[ON_BODY]
  if (!parser || typeof onIncoming !== 'function' || typeof onBody !== 'function') return false
  parser.onIncoming = (request, keepAlive) => {
    if (isUpgrade(request) && !hooks.mayUpgrade(request)) request.upgrade = false
    if (hooks.acceptRequest()) return onIncoming(request, keepAlive)
    socket.destroy()
    return LAST_REQUEST
  }
  if (hookedParsers.has(parser)) return true
  hookedParsers.add(parser)
  parser[ON_BODY] = function (chunk) {
    const request = this.incoming
    // The parser may serve an outgoing request later: responses have no method.
    const isRequest = typeof request?.method === 'string'
    if (isRequest && !hooks.acceptChunk(request, chunk)) return void request.socket.pause()
    onBody.call(this, chunk)
  }
  return true
}
