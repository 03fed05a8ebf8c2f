import { PlatformError } from '../platform.ts'
import type { Ack } from './link/acks.ts'

export const linkDown = (): PlatformError =>
  new PlatformError({ kind: 'link_down', detail: 'the number is not connected' })

export const transient = (detail: string): PlatformError => new PlatformError({ kind: 'transient', detail })

export const invalidRecipient = (detail: string): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'INVALID_RECIPIENT', detail })

export const mediaFailed = (detail: string): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'MEDIA_FAILED', detail })

const sendFailed = (detail: string): PlatformError =>
  new PlatformError({ kind: 'permanent', reason: 'SEND_FAILED', detail })

export const RESTRICTED_CODE = 463
const QUOTA_CODE = 475
/** A group names its members in another way than the message does. */
export const STALE_ADDRESSING_CODE = 421

/** What the server's refusal of a message means. */
export function refusalOf(code: number): PlatformError {
  if (code === RESTRICTED_CODE)
    return sendFailed('the platform does not let this number write to new contacts now (463)')
  if (code === QUOTA_CODE)
    return sendFailed('this number has begun as many new chats as the platform allows for now (475)')
  if (code === 400) return sendFailed('the platform does not take the way in which the message names people (400)')
  if (code === 404) return invalidRecipient('the recipient is not on the platform')
  return sendFailed(`the platform refused the message (${code})`)
}

export function failureOfAck(ack: Exclude<Ack, { ok: true }> | 'timeout' | 'lost'): PlatformError {
  if (ack === 'timeout') return transient('the platform did not acknowledge the message in time')
  if (ack === 'lost') return linkDown()
  return refusalOf(ack.code)
}

/**
 * What an error of the library means. Its text is not passed on: it may hold data. `target` says what an answer of
 * "not found" or "forbidden" is about.
 */
export function failureOfLibrary(error: unknown, target: string): PlatformError {
  if (error instanceof PlatformError) return error
  const status = statusOf(error)
  const message = error instanceof Error ? error.message : ''
  if (status === 428 || status === 440 || message === 'Connection Closed') return linkDown()
  if (status === 408 || error instanceof TypeError) return transient('the platform did not answer in time')
  if (message === 'All encryptions failed') return invalidRecipient(`${target} has no device that can be reached`)
  if (status === 401 || status === 403 || status === 404)
    return invalidRecipient(`${target} does not exist or is closed`)
  return transient('the message could not be handed to the platform')
}

function statusOf(error: unknown): number | undefined {
  const { output, data } = (error ?? {}) as { output?: { statusCode?: number }; data?: unknown }
  return typeof data === 'number' ? data : output?.statusCode
}
