import type { FailureReason } from './message.ts'

/** Why a platform, or the sandbox network, did not do what it was asked for. */
export type Failure =
  /** It may succeed when it is tried again. */
  | { kind: 'transient'; detail: string }
  | { kind: 'permanent'; reason: FailureReason; detail: string }
  /** It waits for the link; no attempt is spent. */
  | { kind: 'link_down'; detail: string }
