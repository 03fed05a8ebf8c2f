import { clearNumber, forgetSession } from './forget-session.ts'
import { createPairing, endPairing, getPairing, listChangedPairings } from './pairings.ts'
import { countNumbers, getSession, listSessions, updateSession } from './sessions.ts'

export const sessions = {
  reads: {
    countNumbers,
    getPairing,
    getSession,
    listChangedPairings,
    listSessions,
  },
  writes: {
    clearNumber,
    createPairing,
    endPairing,
    forgetSession,
    updateSession,
  },
  batches: {},
}
