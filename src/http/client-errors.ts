import type { Socket } from 'node:net'
import { GatewayError, malformed } from '../domain/errors.ts'
import { errorBody, STATUS } from './error-response.ts'
import { requestIdOf } from './request-id.ts'

const REASON: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** What the parser gives up gets the same shape of answer before the connection ends. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, publicUrl: string): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error.code)
  const status = STATUS[refusal.kind]
  const requestId = requestIdOf(undefined)
  const body = JSON.stringify(errorBody(refusal, requestId, publicUrl))
  const head = [
    `HTTP/1.1 ${status} ${REASON[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
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
