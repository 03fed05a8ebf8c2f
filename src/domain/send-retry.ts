import type { Failure } from './failure.ts'
import type { FailureReason } from './message.ts'

export type AfterSend =
  | { next: 'retry'; delayMs: number }
  /** Retried when the link is up again; spends no attempt. */
  | { next: 'wait_for_link' }
  | { next: 'failed'; reason: FailureReason; detail: string }

export interface SendAttempt {
  failure: Failure
  /** 1 for the first. */
  attempt: number
  /** The delays before attempts 2, 3, 4, 5 (specification, Limits: about 5 attempts). */
  delaysMs: readonly number[]
  /** A number from 0 up to but not including 1. */
  random: () => number
}

const MAX_JITTER = 0.2

export function afterSendFailure({ failure, attempt, delaysMs, random }: SendAttempt): AfterSend {
  switch (failure.kind) {
    case 'permanent':
      return { next: 'failed', reason: failure.reason, detail: failure.detail }
    case 'link_down':
      return { next: 'wait_for_link' }
    case 'transient': {
      const waitMs = delaysMs[attempt - 1]
      if (waitMs === undefined) return { next: 'failed', reason: 'RETRIES_EXHAUSTED', detail: failure.detail }
      return { next: 'retry', delayMs: waitMs + Math.floor(waitMs * MAX_JITTER * random()) }
    }
    default: {
      const never: never = failure
      return never
    }
  }
}

/** How long a message waits for a link that is down before it fails. */
export const LINK_WAIT_MS = 600_000

/** Whether a message that breaks the number's link each time it is sent has used up its time. */
export const hasLostLinkForLong = (firstLostAtMs: number, nowMs: number): boolean =>
  nowMs - firstLostAtMs >= LINK_WAIT_MS

/** Whether a message has waited for its link for the whole time. */
export function hasWaitedOut(dueAtMs: number, downSinceMs: number | null, nowMs: number): boolean {
  return downSinceMs !== null && nowMs - Math.max(dueAtMs, downSinceMs) >= LINK_WAIT_MS
}
