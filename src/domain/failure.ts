import type { ErrorCode } from './error-codes.ts'
import type { FailureReason } from './message.ts'

/** Why a platform, or the sandbox network, could not execute a request. */
export type Failure =
  /** Another attempt may succeed. */
  | { kind: 'transient'; detail: string }
  /**
   * `code`: how the API reports it, if that is more exact than `platform_refused`; `retryAfterMs` for one that is a limit.
   */
  | { kind: 'permanent'; reason: FailureReason; detail: string; code?: ErrorCode; retryAfterMs?: number }
  /** The request waits for the link and spends no attempt. */
  | { kind: 'link_down'; detail: string }
