import type { FailureReason } from './message.ts'

/** Why a platform, or the sandbox network, could not execute a request. */
export type Failure =
  /** Another attempt may succeed. */
  | { kind: 'transient'; detail: string }
  | { kind: 'permanent'; reason: FailureReason; detail: string }
  /** The request waits for the link and spends no attempt. */
  | { kind: 'link_down'; detail: string }
