import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { GatewayError, malformed } from '../../domain/errors.ts'
import { errorBody, errorHeaders, STATUS } from '../error-response.ts'
import { requestIdOf } from '../request-id.ts'

const REASON: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/**
 * Answers bytes that Node cannot parse, and ends the connection. `pending` are the responses of this connection that have
 * not finished: those whose requests arrived in full are sent first, and nothing follows them.
 */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  pending: Iterable<ServerResponse>,
): void {
  if (error.code === 'ECONNRESET') socket.destroy()
  else rejectConnection(rejectionOf(error.code), socket, pending)
}

/** `CONNECT` has no route. Node passes it on as an event with the bare socket, which has no error listener any more. */
export function rejectConnect(socket: Socket, pending: Iterable<ServerResponse>): void {
  socket.on('error', () => socket.destroy())
  rejectConnection(new GatewayError('method_not_allowed', 'CONNECT is not allowed here'), socket, pending)
}

function rejectConnection(rejection: GatewayError, socket: Socket, pending: Iterable<ServerResponse>): void {
  const responses = [...pending]
  const isStreaming = responses.some(response => response.headersSent && !response.writableEnded)
  if (!socket.writable || isStreaming) {
    // A second head inside a response that has begun would be read as a part of it.
    socket.destroy()
    return
  }
  const last = responses.findLast(({ req, writableEnded }) => req.complete || writableEnded)
  if (last !== undefined) closeAfter(last, socket)
  else socket.end(plainResponse(rejection))
}

/** The parser reports its error again for each further packet; the first report is enough. */
const closing = new WeakSet<Socket>()

function closeAfter(response: ServerResponse, socket: Socket): void {
  if (closing.has(socket)) return
  closing.add(socket)
  if (!response.headersSent) response.setHeader('connection', 'close')
  response.once('close', () => socket.destroySoon())
}

/** Without regard to `Accept`, which may not have arrived. */
function plainResponse(rejection: GatewayError): string {
  const status = STATUS[rejection.kind]
  const body = errorBody(rejection)
  const headers = Object.entries(errorHeaders(rejection, requestIdOf(undefined)))
  const head = [
    `HTTP/1.1 ${status} ${REASON[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

function rejectionOf(code: string | undefined): GatewayError {
  if (code === 'HPE_HEADER_OVERFLOW') return new GatewayError('headers_too_large', 'headers are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new GatewayError('request_timeout', 'the request did not arrive in time; send it again')
  }
  return malformed()
}
