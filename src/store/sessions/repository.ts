import {
  countNumbers,
  getSession,
  listSessions,
  registerSession,
  updateSession,
  addSubscription,
  readSubscriptions,
  countNumbersByState,
} from './sessions.ts'
import { capNewChats, countHealth, recordRefusal, restrictSession } from './health.ts'
import { clearNumber, forgetSession } from './forget-session.ts'
import { recordLink } from './link-state.ts'
import type { Call } from '../repository.ts'

/** Linked numbers, their settings and the state of their link. */
export interface SessionRepository {
  addSubscription: Call<typeof addSubscription>
  capNewChats: Call<typeof capNewChats>
  clearNumber: Call<typeof clearNumber>
  countHealth: Call<typeof countHealth>
  countNumbers: Call<typeof countNumbers>
  countNumbersByState: Call<typeof countNumbersByState>
  forgetSession: Call<typeof forgetSession>
  getSession: Call<typeof getSession>
  listSessions: Call<typeof listSessions>
  readSubscriptions: Call<typeof readSubscriptions>
  recordLink: Call<typeof recordLink>
  recordRefusal: Call<typeof recordRefusal>
  registerSession: Call<typeof registerSession>
  restrictSession: Call<typeof restrictSession>
  updateSession: Call<typeof updateSession>
}

export const sessions = {
  reads: {
    countHealth,
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
    recordRefusal,
    registerSession,
    restrictSession,
    updateSession,
  },
  batches: {},
}
