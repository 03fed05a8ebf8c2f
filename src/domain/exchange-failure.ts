/** Why a request to a customer's address failed, as history and the test tool show it. */
export const EXCHANGE_FAILURE_KINDS = [
  'dns',
  'refused',
  'reset',
  'tls',
  'timeout',
  'redirect',
  'http_4xx',
  'http_5xx',
  'address_not_allowed',
  'invalid_response',
  'too_large',
] as const
export type ExchangeFailureKind = (typeof EXCHANGE_FAILURE_KINDS)[number]

/** The phase of an exchange in which the timeout passed. */
export type Phase = 'dns' | 'connect' | 'tls' | 'headers' | 'body'

export interface ExchangeFailure {
  readonly kind: ExchangeFailureKind
  readonly phase?: Phase
  /** For customers: contains no address and nothing that the receiver sent. */
  readonly text: string
}
