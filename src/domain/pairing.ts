import type { PasskeyOptions } from './passkey.ts'

/**
 * `pending`: no worker shows a code yet. `waiting`: a code is shown. `scanned`: the phone has it. `passkey`: the
 * platform wants the word of the number's passkey. `confirm`: a person has to say that phone and caller show the same
 * code. `linked`: done. The others are ends too.
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

/** What a pairing that is not over can be. */
export type OpenPairingStatus = 'pending' | 'waiting' | 'scanned' | 'passkey' | 'confirm'

export const isOver = (status: PairingStatus): boolean =>
  status === 'linked' || status === 'failed' || status === 'cancelled' || status === 'expired'

/** What the caller of a pairing is shown, as it is sealed. */
export interface ShownCode {
  qr?: string
  /** To be typed on the phone, or compared with what it shows. */
  code?: string
  passkey?: {
    options: PasskeyOptions
    /** Lets whoever has it bring the passkey's word for this request, and nothing else. */
    ticket: string
  }
}
