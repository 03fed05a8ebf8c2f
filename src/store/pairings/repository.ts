import {
  claimPairings,
  createPairing,
  endPairing,
  getPairing,
  hasFreePairing,
  listChangedPairings,
  recordPairingStep,
  renewPairings,
} from './pairings.ts'
import { clearMovedNumber, completePairing } from './complete-pairing.ts'
import type { Call } from '../repository.ts'

/** Numbers that are being linked. */
export interface PairingRepository {
  claimPairings: Call<typeof claimPairings>
  clearMovedNumber: Call<typeof clearMovedNumber>
  completePairing: Call<typeof completePairing>
  createPairing: Call<typeof createPairing>
  endPairing: Call<typeof endPairing>
  getPairing: Call<typeof getPairing>
  hasFreePairing: Call<typeof hasFreePairing>
  listChangedPairings: Call<typeof listChangedPairings>
  recordPairingStep: Call<typeof recordPairingStep>
  renewPairings: Call<typeof renewPairings>
}

export const pairings = {
  reads: {
    getPairing,
    hasFreePairing,
    listChangedPairings,
  },
  writes: {
    claimPairings,
    clearMovedNumber,
    completePairing,
    createPairing,
    endPairing,
    recordPairingStep,
    renewPairings,
  },
  batches: {},
}
