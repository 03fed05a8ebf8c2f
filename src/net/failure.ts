import type { ExchangeFailure, ExchangeFailureKind, Phase } from '../domain/exchange-failure.ts'
import { getOwn } from '../runtime/get-own.ts'

export class TargetError extends Error {
  readonly failure: ExchangeFailure

  constructor(failure: ExchangeFailure, options?: ErrorOptions) {
    super(failure.text, options)
    this.name = 'TargetError'
    this.failure = failure
  }
}

const texts: Record<Exclude<ExchangeFailureKind, 'timeout' | 'http_4xx' | 'http_5xx'>, string> = {
  dns: 'the host name could not be resolved',
  refused: 'the connection could not be opened',
  reset: 'the connection was closed before an answer came',
  tls: 'the TLS handshake failed',
  redirect: 'the answer was a redirect, which is not followed',
  address_not_allowed: 'the address is not allowed',
  invalid_response: 'the answer was not valid HTTP',
  too_large: 'the content is too large',
}

const phaseTexts: Record<Phase, string> = {
  dns: 'while resolving the host name',
  connect: 'while connecting',
  tls: 'during the TLS handshake',
  headers: 'while waiting for an answer',
  body: 'while reading the answer',
}

const certificateTexts: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate comes from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate comes from an unknown authority, or its chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate comes from an unknown authority, or its chain is incomplete',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
}

export function failed(kind: keyof typeof texts): ExchangeFailure {
  return { kind, text: texts[kind] }
}

export function timedOut(phase: Phase): ExchangeFailure {
  return { kind: 'timeout', phase, text: `timed out ${phaseTexts[phase]}` }
}

/** The failure for a status; `undefined` for 2xx. */
export function failureOfStatus(status: number): ExchangeFailure | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return failed('redirect')
  if (status >= 400 && status < 500) return { kind: 'http_4xx', text: `the receiver answered ${status}` }
  if (status >= 500 && status < 600) return { kind: 'http_5xx', text: `the receiver answered ${status}` }
  return failed('invalid_response')
}

/** The failure for an error of the socket while it is being opened. */
export function failureOfConnecting(error: unknown, phase: 'connect' | 'tls'): ExchangeFailure {
  if (error instanceof TargetError) return error.failure
  const code = codeOf(error)
  if (code === 'ETIMEDOUT') return timedOut(phase)
  if (code === 'ECONNRESET' || code === 'EPIPE') return failed('reset')
  if (phase === 'connect') return failed('refused')
  return { kind: 'tls', text: getOwn(certificateTexts, code) ?? texts.tls }
}

/** The failure for an error of an open connection before any status. */
export function failureOfExchange(error: unknown): ExchangeFailure {
  if (error instanceof TargetError) return error.failure
  return failed(isMalformed(error as Error) ? 'invalid_response' : 'reset')
}

function isMalformed(error: Error): boolean {
  const code = codeOf(error)
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_')) return true
  if (code === 'UND_ERR_SOCKET') return error.message.startsWith('bad ')
  return code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
