import type { Failure } from './failure.ts'

/**
 * The recipient of a request of the API, on whatever node it runs: a number's worker, the worker of a pairing, or the
 * sandbox network.
 */
export type Recipient =
  | { kind: 'session'; sessionId: string; accountId: string }
  | { kind: 'pairing'; pairingId: string }
  | { kind: 'sandbox' }

export type Answer<T> = { ok: true; value: T } | { ok: false; failure: Failure }
