import type { PasskeyOptions } from './passkey.ts'

/**
 * `pending`: no worker shows a code yet. `waiting`: a code is shown. `scanned`: the phone has read it. `passkey`: the
 * platform requests an assertion of the number's passkey. `confirm`: a person must confirm that phone and caller show the
 * same code. `linked`: done. The others are final too.
 */
export const PAIRING_STATUSES = [
  'pending',
  'waiting',
  'scanned',
  'passkey',
  'confirm',
  'linked',
  'failed',
  'cancelled',
  'expired',
] as const
export type PairingStatus = (typeof PAIRING_STATUSES)[number]

/** The states of a pairing that has not ended. */
export type OpenPairingStatus = 'pending' | 'waiting' | 'scanned' | 'passkey' | 'confirm'

export const isOver = (status: PairingStatus): boolean =>
  status === 'linked' || status === 'failed' || status === 'cancelled' || status === 'expired'

/** What the caller of a pairing is shown, in its sealed form. */
export interface ShownCode {
  qr?: string
  /** To type on the phone, or to compare with the code on the phone. */
  code?: string
  passkey?: {
    options: PasskeyOptions
    /** Allows its bearer to bring the passkey's assertion for this request, and nothing else. */
    ticket: string
  }
}
