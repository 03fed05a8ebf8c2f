import type { Failure } from './failure.ts'

/**
 * Whom an API request asks to do something, wherever they run: a number's worker, the one that attends to a pairing, or
 * the sandbox network.
 */
export type Recipient =
  | { kind: 'session'; sessionId: string; accountId: string }
  | { kind: 'pairing'; pairingId: string }
  | { kind: 'sandbox' }

export type Answer<T> = { ok: true; value: T } | { ok: false; failure: Failure }
