/**
 * `pending`: no worker shows a code yet. `waiting`: a code is shown. `scanned`: the phone has it. `linked`: done.
 * The others are ends too.
 */
export const PAIRING_STATUSES = ['pending', 'waiting', 'scanned', 'linked', 'failed', 'cancelled', 'expired'] as const
export type PairingStatus = (typeof PAIRING_STATUSES)[number]

export const isOver = (status: PairingStatus): boolean =>
  status === 'linked' || status === 'failed' || status === 'cancelled' || status === 'expired'
