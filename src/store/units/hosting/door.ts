import {
  claimPairings,
  completePairing,
  hasFreePairing,
  recordPairingStep,
  renewPairings,
} from '../sessions/pairings.ts'
import { dropOutlived, readOutlived } from '../retention/outlived.ts'
import { sweepHosting } from '../retention/sweep-hosting.ts'
import {
  endHost,
  hasFreeSession,
  readHosted,
  readWantedPlatforms,
  releaseSessions,
  renewHost,
  restrictSession,
  takeSessions,
} from './hosting.ts'
import { recordLink } from './link-state.ts'
import { addSubscription, readSubscriptions } from './subscriptions.ts'

export const hosting = {
  reads: {
    hasFreePairing,
    hasFreeSession,
    readHosted,
    readOutlived,
    readSubscriptions,
    readWantedPlatforms,
  },
  writes: {
    addSubscription,
    claimPairings,
    completePairing,
    dropOutlived,
    endHost,
    recordLink,
    recordPairingStep,
    releaseSessions,
    renewHost,
    renewPairings,
    restrictSession,
    sweepHosting,
    takeSessions,
  },
  batches: {},
}
