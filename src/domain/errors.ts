import { BOUNDS } from './bounds.ts'
import type { PlatformName } from './session.ts'

/** What can be wrong with a request. `http/error-response.ts` gives each its status. */
export type ErrorCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'offline'
  | 'too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable'
  | 'internal'

/** A refusal whose message the caller may read. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly code: ErrorCode
  /** Only with `rate_limited`: waiting this long makes the same request succeed. */
  readonly retryAfterMs: number | undefined

  constructor(code: ErrorCode, publicMessage: string, retryAfterMs?: number) {
    super(publicMessage)
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

export const invalid = (message: string): GatewayError => new GatewayError('invalid', message)
export const notFound = (what: string): GatewayError => new GatewayError('not_found', `${what} not found`)

/** The texts that the specification fixes (Errors, "Message texts that occur"). */
export const text = {
  foreignSession: 'session does not belong to this tenant',
  notHosted: 'session is not currently hosted by any worker',
  termsNotAccepted: 'terms of service not accepted',
  rateLimited: 'rate limit exceeded',
  quotaExceeded: 'monthly quota exceeded',
  mediaTogether: 'media_type and media_url are required together',
  keyReused: 'Idempotency-Key was already used with a different request',
} as const

export const foreignSession = (): GatewayError => new GatewayError('forbidden', text.foreignSession)
export const notHosted = (): GatewayError => new GatewayError('offline', text.notHosted)

export const sandboxNumberTaken = (): GatewayError => invalid('phone is taken: it is a sandbox number in use here')
export const emailTaken = (): GatewayError => invalid('email is already in use')

/** A limit like the others of a plan, though waiting alone does not help: the text says which. */
export const tooManyNumbers = (platform: PlatformName, limit: number): GatewayError =>
  platform === 'sandbox'
    ? planIsFull(`${limit} sandbox numbers`, 60_000, 'delete one first')
    : planIsFull(`${limit} numbers`, 60_000)
export const tooManyKeys = (limit: number): GatewayError => planIsFull(`${limit} live keys`, 60_000, 'revoke one first')

export const tooManyPairings = (maxOpen: number, retryAfterMs: number): GatewayError =>
  new GatewayError(
    'rate_limited',
    `at most ${maxOpen} pairings of an account may be open; cancel one, or wait until it expires`,
    retryAfterMs,
  )
export const tooManyInactiveWebhooks = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `at most ${BOUNDS.inactiveWebhooks} webhook configs may be left of numbers that are gone; delete some`,
    60_000,
  )
export const tooManyReplays = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `${text.rateLimited}: at most ${BOUNDS.runningReplays} replays of an account run at the same time`,
    5_000,
  )
export const tooManyRequestsWait = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `at most ${BOUNDS.waitingSessionRequests} calls of a number may wait for its worker; wait until some are answered`,
    1_000,
  )

export const tooManyAnswersWait = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `at most ${BOUNDS.waitingPairingAnswers} answers may wait for a pairing; wait until some are taken`,
    1_000,
  )

/** Why the message limits let nothing through now. */
export function messageRefused(
  refusal: { retryAfterMs: number; quota: boolean; full: boolean },
  limits: { waiting?: number | null },
): GatewayError {
  if (refusal.full)
    return planIsFull(
      `${limits.waiting} waiting messages`,
      refusal.retryAfterMs,
      'wait until some are sent, or cancel some',
    )
  return new GatewayError('rate_limited', refusal.quota ? text.quotaExceeded : text.rateLimited, refusal.retryAfterMs)
}

const planIsFull = (what: string, retryAfterMs: number, cure?: string): GatewayError =>
  new GatewayError(
    'rate_limited',
    `${text.rateLimited}: the plan's limit of ${what} is reached${cure === undefined ? '' : `; ${cure}`}`,
    retryAfterMs,
  )
