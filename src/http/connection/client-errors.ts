import type { Socket } from 'node:net'
import { GatewayError, malformed } from '../../domain/errors.ts'
import { errorBody, errorHeaders, STATUS } from '../error-response.ts'
import { requestIdOf } from '../request-id.ts'

const REASON: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** A request that the parser gives up gets the plain body before the connection ends: its Accept may not have arrived. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error.code)
  const status = STATUS[refusal.kind]
  const body = errorBody(refusal)
  const headers = Object.entries(errorHeaders(refusal, requestIdOf(undefined)))
  const head = [
    `HTTP/1.1 ${status} ${REASON[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function refusalOf(code: string | undefined): GatewayError {
  if (code === 'HPE_HEADER_OVERFLOW') return new GatewayError('headers_too_large', 'headers are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new GatewayError('request_timeout', 'the request did not arrive in time; send it again')
  }
  return malformed()
}
