import type { Plan } from './account.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS

/**
 * How long data is kept, if nothing ends it sooner; `BOUNDS` limits how much of each. `docs/operations.md` lists them.
 */
export const KEPT_MS = {
  /** A message's record with its Idempotency-Key, which is kept for at least 30 days. */
  messages: 90 * DAY_MS,
  /** The content of a message that a sandbox number sent, which a developer may read. */
  sentContents: 7 * DAY_MS,
  /** A sent message as the engine made it: the recipient's devices may request it again. */
  sentMessages: 7 * DAY_MS,
  /** Processed messages, so that none is published twice, and those that failed permanently. */
  doneInbox: 30 * DAY_MS,
  /** Attempts to process received messages that never ended. */
  unfinishedMessages: 30 * DAY_MS,
  /** Messages that replies can refer to. */
  seenMessages: 30 * DAY_MS,
  /** When a number with a pace wrote to a new contact: later messages to it are not the first. */
  firstMessages: 90 * DAY_MS,
  /** Polls and events, with the secret that votes, answers and changes need. */
  answered: 90 * DAY_MS,
  /** Requests for older messages. */
  historyJobs: 7 * DAY_MS,
  /** Pairings that have ended. */
  pairings: DAY_MS,
  /** Rows of removed numbers: no host lives so long with an epoch that might be used again. */
  leases: 30 * DAY_MS,
  /** Hosts and nodes without a heartbeat. */
  hosts: DAY_MS,
  nodes: DAY_MS,
  /** Usage by the hour: the longest range of the charts, and one more day. */
  usageHours: 32 * DAY_MS,
  /** After this time without a request a caller's bucket is full again. */
  requestMeters: DAY_MS,
  /** Responses of workers and of the sandbox network to requests of the API. */
  answers: 60 * SECOND_MS,
  /** The trace that a command or an event belongs to. */
  traces: 7 * DAY_MS,
  /** The API log. */
  apiLog: 3 * DAY_MS,
  /** Payloads of a sandbox number that the portal watches. */
  sandboxPayloads: HOUR_MS,
  /** A file that was uploaded for sandbox numbers, after its upload and after the time of each message that sends it. */
  uploads: HOUR_MS,
  /** A stored file, after the time of each message that sends it. */
  mediaOfMessage: DAY_MS,
  /** Events of an account with listeners that not every listener has acknowledged. */
  listenedEvents: HOUR_MS,
  /** Events of a pull endpoint that are not acknowledged, unless its `keep_hours` say otherwise. */
  pulledEvents: 3 * DAY_MS,
  /** The report of an erasure, after its end. */
  erasures: 30 * DAY_MS,
  /** A listener that does not read any more. */
  listeners: HOUR_MS,
} as const

const DELIVERIES_KEPT_DAYS: Record<Plan, number> = { free: 3, pro: 30, max: 90 }

/** How long a plan keeps delivery history, dead letters and finished replays (specification, Delivery history 3). */
export const deliveriesKeptMs = (plan: Plan): number => DELIVERIES_KEPT_DAYS[plan] * DAY_MS

/** The longest time for which a plan keeps events of a pull endpoint that are not acknowledged. */
export const pulledEventsKeptMs = deliveriesKeptMs

/** How long a plan keeps files that were uploaded or received. */
export const mediaKeptMs = deliveriesKeptMs
