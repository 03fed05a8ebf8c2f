import { BOUNDS } from './bounds.ts'
import { ERROR_CODES, type ErrorCode, type ErrorKind } from './error-codes.ts'
import type { PlatformName, SessionState } from './session.ts'

interface ErrorDetails {
  /** The field at fault, by its name in the request. */
  param?: string | undefined
  /** The cause or the cure in this case, for a message that clients compare and that must not change. */
  hint?: string
  /** Only for limits: after this time the same request succeeds. */
  retryAfterMs?: number
}

/** An error whose message the caller may read. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly retryAfterMs: number | undefined
  /** The message with its hint, for people. */
  readonly detail: string

  constructor(code: ErrorCode, publicMessage: string, { param, hint, retryAfterMs }: ErrorDetails = {}) {
    super(publicMessage)
    this.code = code
    this.param = param
    this.retryAfterMs = retryAfterMs
    this.detail = hint === undefined ? publicMessage : `${publicMessage}: ${hint}`
  }

  get kind(): ErrorKind {
    return ERROR_CODES[this.code]
  }
}

/** A field has an impossible value. */
export const invalid = (message: string, param?: string): GatewayError =>
  new GatewayError('parameter_invalid', message, { param })
export const missing = (message: string, param: string): GatewayError =>
  new GatewayError('parameter_missing', message, { param })
/** Fields that exclude or require each other. */
export const conflicting = (message: string, param: string): GatewayError =>
  new GatewayError('parameters_conflict', message, { param })
/** The request is right, but not in the present state. */
export const wrongState = (message: string): GatewayError => new GatewayError('wrong_state', message)
export const alreadyExists = (message: string, param: string): GatewayError =>
  new GatewayError('already_exists', message, { param })
export const notFound = (what: string): GatewayError =>
  new GatewayError(what === 'path' ? 'path_not_found' : 'not_found', `${what} not found`)
export const malformed = (): GatewayError => new GatewayError('request_malformed', 'the request is malformed')
export const bodyInvalid = (message: string): GatewayError => new GatewayError('body_invalid', message)
export const keyReused = (): GatewayError =>
  new GatewayError('idempotency_key_reused', text.keyReused, { param: 'Idempotency-Key' })

/** The texts that the specification fixes (Errors, "Message texts that occur"): clients compare them, so they never change. */
export const text = {
  keyMissing: 'missing or invalid API key',
  foreignSession: 'session does not belong to this tenant',
  notHosted: 'session is not currently hosted by any worker',
  termsNotAccepted: 'terms of service not accepted',
  rateLimited: 'rate limit exceeded',
  quotaExceeded: 'monthly quota exceeded',
  mediaTogether: 'media_type and media_url are required together',
  keyReused: 'Idempotency-Key was already used with a different request',
} as const

export const foreignSession = (): GatewayError => new GatewayError('session_forbidden', text.foreignSession)

/** Why a number cannot take work now. A number that is logged out does not reconnect. */
export const notHosted = (state?: SessionState): GatewayError =>
  state === 'logged_out'
    ? new GatewayError('session_logged_out', text.notHosted, {
        hint: 'it is logged out; link the number again with POST /v1/pairings',
      })
    : new GatewayError('session_offline', text.notHosted)

export const sandboxNumberTaken = (): GatewayError =>
  alreadyExists('phone is taken: it is a sandbox number in use here', 'phone')
export const emailTaken = (): GatewayError => alreadyExists('email is already in use', 'email')

/** A limit of a plan like the others, although waiting alone does not help: the text says which limit. */
export const tooManyNumbers = (platform: PlatformName, limit: number): GatewayError =>
  platform === 'sandbox'
    ? planIsFull(`${limit} sandbox numbers`, 60_000, 'delete one first')
    : planIsFull(`${limit} numbers`, 60_000)
export const tooManyKeys = (limit: number): GatewayError => planIsFull(`${limit} live keys`, 60_000, 'revoke one first')

export const tooManyListeners = (): GatewayError =>
  tooManyOpen(`at most ${BOUNDS.listeners} listeners of an account can exist; delete one`, 60_000)
export const tooManyPairings = (maxOpen: number, retryAfterMs: number): GatewayError =>
  tooManyOpen(
    `at most ${maxOpen} pairings of an account may be open; cancel one, or wait until it expires`,
    retryAfterMs,
  )
export const tooManyInactiveWebhooks = (): GatewayError =>
  tooManyOpen(`at most ${BOUNDS.inactiveWebhooks} webhook configs of removed numbers can exist; delete some`, 60_000)
export const tooManyEndpoints = (): GatewayError =>
  tooManyOpen(`at most ${BOUNDS.endpoints} endpoints of an account can exist; delete one`, 60_000)
export const tooManyPullEndpoints = (): GatewayError =>
  tooManyOpen(`at most ${BOUNDS.pullEndpoints} pull endpoints of an account can exist; delete one`, 60_000)
export const tooManyReplays = (): GatewayError =>
  new GatewayError('too_many_open', text.rateLimited, {
    hint: `at most ${BOUNDS.runningReplays} replays of an account run at the same time`,
    retryAfterMs: 5_000,
  })
export const tooManyErasures = (): GatewayError =>
  tooManyOpen(
    `at most ${BOUNDS.runningErasures} erasures of an account run at the same time; wait until one ends`,
    10_000,
  )
export const tooManyUploads = (retryAfterMs: number): GatewayError =>
  tooManyOpen(
    `at most ${BOUNDS.uploads} uploaded files of ${BOUNDS.uploadBytes / 1_048_576} MiB together are kept for an account; wait until some expire`,
    retryAfterMs,
  )
export const mediaIsFull = (): GatewayError =>
  planIsFull('stored media', 60_000, 'delete some, or wait until some expire')
export const mediaNotKept = (param: string): GatewayError =>
  invalid(`${param} refers to no file that is kept; upload it again`, param)
export const mediaNotFetched = (param: string): GatewayError =>
  invalid(`${param} refers to a file that the gateway has not fetched yet; download it once, then send it`, param)
export const mediaTooLarge = (type: string, maxBytes: number, param: string): GatewayError =>
  invalid(
    `${param} refers to a file that is too large: media_type ${type} may have up to ${maxBytes / 1_048_576} MiB`,
    param,
  )
export const uploadNotKept = (): GatewayError =>
  invalid('media_url refers to an uploaded file that has expired; upload it again', 'media_url')
export const uploadNotForNumber = (): GatewayError =>
  invalid(
    'media_url refers to an uploaded file, which only sandbox numbers can send; give the URL of the file',
    'media_url',
  )
export const tooManyRequestsWait = (): GatewayError =>
  tooManyOpen(
    `at most ${BOUNDS.waitingSessionRequests} calls of a number may wait for its worker; wait until some are answered`,
    1_000,
  )

export const tooManyHistoryWait = (): GatewayError =>
  tooManyOpen(
    `at most ${BOUNDS.waitingHistory} requests for history of a number may wait for its phone; wait until some are answered`,
    60_000,
  )

export const tooManyAnswersWait = (): GatewayError =>
  tooManyOpen(
    `at most ${BOUNDS.waitingPairingAnswers} answers may wait for a pairing; wait until some are processed`,
    1_000,
  )

/** Why the message limits reject a message now. */
export function messageRefused(
  rejection: { retryAfterMs: number; quota: boolean; full: boolean },
  limits: { waiting?: number | null },
): GatewayError {
  if (rejection.full)
    return planIsFull(
      `${limits.waiting} waiting messages`,
      rejection.retryAfterMs,
      'wait until some are sent, or cancel some',
    )
  const { retryAfterMs } = rejection
  return rejection.quota
    ? new GatewayError('quota_exceeded', text.quotaExceeded, { retryAfterMs })
    : new GatewayError('rate_limited', text.rateLimited, { retryAfterMs })
}

const planIsFull = (what: string, retryAfterMs: number, cure?: string): GatewayError =>
  new GatewayError('plan_limit_reached', text.rateLimited, {
    hint: `the plan's limit of ${what} is reached${cure === undefined ? '' : `; ${cure}`}`,
    retryAfterMs,
  })

/** Slows down guessing. */
export const tooManyAttempts = (message: string, retryAfterMs: number): GatewayError =>
  new GatewayError('too_many_attempts', message, { retryAfterMs })

/** A limit on how many may exist at the same time: one has to end before the next. */
export const tooManyOpen = (message: string, retryAfterMs: number): GatewayError =>
  new GatewayError('too_many_open', message, { retryAfterMs })
