/**
 * `pending`: no worker shows a code yet. `waiting`: a code is shown. `scanned`: the phone has it. `linked`: done.
 * The others are ends too.
 */
export type PairingStatus = 'pending' | 'waiting' | 'scanned' | 'linked' | 'failed' | 'cancelled' | 'expired'

export const isOver = (status: PairingStatus): boolean =>
  status === 'linked' || status === 'failed' || status === 'cancelled' || status === 'expired'
