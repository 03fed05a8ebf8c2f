import { clearMoved, completePairing } from '../sessions/complete-pairing.ts'
import {
  claimPairings,
  endPairing,
  getPairing,
  hasFreePairing,
  recordPairingStep,
  renewPairings,
} from '../sessions/pairings.ts'
import { dropOutlived, readOutlived } from '../retention/outlived.ts'
import { sweepHosting } from '../retention/sweep-hosting.ts'
import { readSimulatorAddress } from '../sandbox/simulator-state.ts'
import { findUpload, readUploadPart } from '../sandbox/uploads.ts'
import {
  beatHost,
  hasFreeSession,
  readHeld,
  readHosted,
  readWanted,
  releaseSessions,
  restrictSession,
  takeSessions,
} from './hosting.ts'
import { recordLink } from './link-state.ts'
import { forgetVersion, keepVersion, readVersion } from './platform-versions.ts'
import { addSubscription, readSubscriptions } from './subscriptions.ts'

export const hosting = {
  reads: {
    findUpload,
    getPairing,
    hasFreePairing,
    hasFreeSession,
    readHeld,
    readHosted,
    readOutlived,
    readSimulatorAddress,
    readSubscriptions,
    readUploadPart,
    readVersion,
    readWanted,
  },
  writes: {
    addSubscription,
    beatHost,
    claimPairings,
    clearMoved,
    completePairing,
    dropOutlived,
    endPairing,
    forgetVersion,
    keepVersion,
    recordLink,
    recordPairingStep,
    renewPairings,
    restrictSession,
    sweepHosting,
    takeSessions,
  },
  batches: {
    releaseSession: releaseSessions,
  },
}
