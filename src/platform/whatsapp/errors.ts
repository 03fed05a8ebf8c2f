import type { ErrorCode } from '../../domain/error-codes.ts'
import { PlatformError, StorageUnavailable } from '../platform.ts'
import type { Ack } from './link/acks.ts'

export const linkDown = (): PlatformError =>
  new PlatformError({ kind: 'link_down', detail: 'the number is not connected' })

/**
 * While the number's own state cannot be read, nothing is known of the recipient: the command is retried and counts no
 * attempt.
 */
const storageUnavailable = (): PlatformError =>
  new PlatformError({ kind: 'link_down', detail: 'the state of the number cannot be read now' })

export const transient = (detail: string): PlatformError => new PlatformError({ kind: 'transient', detail })

/** The platform did not answer a query; the caller still has to check whether the link is alive. */
export class Unanswered extends PlatformError {
  constructor() {
    super({ kind: 'transient', detail: 'the platform did not answer in time' })
  }
}

export const invalidRecipient = (detail: string): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'INVALID_RECIPIENT', detail })

export const mediaFailed = (detail: string): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'MEDIA_FAILED', detail })

const sendFailed = (detail: string): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'SEND_FAILED', detail })

export const RESTRICTED_CODE = 463
const QUOTA_CODE = 475
/** The group uses another kind of member names than the message. */
export const STALE_ADDRESSING_CODE = 421

/** The error for the server's rejection of a message. */
function errorForCode(code: number): PlatformError {
  if (code === RESTRICTED_CODE)
    return sendFailed('the platform does not let this number write to new contacts now (463)')
  if (code === QUOTA_CODE)
    return sendFailed('this number has started as many new chats as the platform allows for now (475)')
  if (code === 400) return sendFailed('the platform does not accept how the message addresses people (400)')
  if (code === 420) return sendFailed('a community has no messages of its own: send to one of its groups (420)')
  if (code === 404) return invalidRecipient('the recipient is not on the platform')
  return sendFailed(`the platform refused the message (${code})`)
}

export function failureOfAck(ack: Exclude<Ack, { ok: true }> | 'timeout' | 'lost'): PlatformError {
  if (ack === 'timeout') return transient('the platform did not acknowledge the message in time')
  if (ack === 'lost') return linkDown()
  if (ack.isTemporary) return transient(`the platform does not take the message now (${ack.code})`)
  return errorForCode(ack.code)
}

/** Codes of an ended link, whether the network, the platform or a proxy ended it. */
const LINK_ENDED = new Set([401, 403, 411, 428, 440, 503, 515])
/** Codes of a query for a person or object that does not exist (any more) or that this number may not see. */
const NOT_FOUND = new Set([401, 403, 404, 410])

/**
 * The meaning of an error of the library. Its text is not passed on, because it may contain user data. Only an answer
 * of the platform is final: `target` names what its "not found" or "forbidden" refers to.
 */
export function failureOfLibrary(error: unknown, target: string): PlatformError {
  if (error instanceof PlatformError) return error
  if (error instanceof StorageUnavailable) return storageUnavailable()
  const answer = answerIn(error)
  if (answer !== undefined)
    return NOT_FOUND.has(answer)
      ? invalidRecipient(`${target} does not exist or is closed`)
      : transient(`the platform refused a query for now (${answer})`)
  const { status, message } = described(error)
  if (message === 'Connection Closed' || LINK_ENDED.has(status ?? 0)) return linkDown()
  if (status === 408 || error instanceof TypeError) return new Unanswered()
  if (message === 'All encryptions failed') return transient(`${target} has no device that can be reached now`)
  return transient('the message could not be handed to the platform')
}

/** The platform does not do what a request asks for. `code`: how the API reports it. */
export const refused = (detail: string, code?: ErrorCode): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'SEND_FAILED', detail, ...(code && { code }) })

const TOO_MANY = 429

/** Whether the platform would answer the same again. */
export const isFinal = (code: number | undefined): boolean =>
  code !== undefined && code >= 400 && code < 500 && code !== TOO_MANY

/** The code of the platform's own answer; `undefined` if it did not answer, whatever error the library made of that. */
export function answerIn(error: unknown): number | undefined {
  const { data } = (error ?? {}) as { data?: unknown }
  if (typeof data === 'number') return data
  const { tag, attrs, extensions } = (data ?? {}) as {
    tag?: string
    attrs?: { code?: string }
    extensions?: { error_code?: number }
  }
  return tag === 'error' ? Number(attrs?.code) : extensions?.error_code
}

function described(error: unknown): { status: number | undefined; message: string } {
  const { output } = (error ?? {}) as { output?: { statusCode?: number } }
  return { status: output?.statusCode, message: error instanceof Error ? error.message : '' }
}
