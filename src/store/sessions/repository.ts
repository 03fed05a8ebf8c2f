import {
  countNumbers,
  getSession,
  listSessions,
  registerSession,
  updateSession,
  addSubscription,
  readSubscriptions,
  restrictSession,
  capNewChats,
  countNumbersByState,
} from './sessions.ts'
import { clearNumber, forgetSession } from './forget-session.ts'
import { recordLink } from './link-state.ts'
import type { Call } from '../repository.ts'

/** Linked numbers, their settings and the state of their link. */
export interface SessionRepository {
  addSubscription: Call<typeof addSubscription>
  capNewChats: Call<typeof capNewChats>
  clearNumber: Call<typeof clearNumber>
  countNumbers: Call<typeof countNumbers>
  countNumbersByState: Call<typeof countNumbersByState>
  forgetSession: Call<typeof forgetSession>
  getSession: Call<typeof getSession>
  listSessions: Call<typeof listSessions>
  readSubscriptions: Call<typeof readSubscriptions>
  recordLink: Call<typeof recordLink>
  registerSession: Call<typeof registerSession>
  restrictSession: Call<typeof restrictSession>
  updateSession: Call<typeof updateSession>
}

export const sessions = {
  reads: {
    countNumbers,
    countNumbersByState,
    getSession,
    listSessions,
    readSubscriptions,
  },
  writes: {
    addSubscription,
    capNewChats,
    clearNumber,
    forgetSession,
    recordLink,
    registerSession,
    restrictSession,
    updateSession,
  },
  batches: {},
}
