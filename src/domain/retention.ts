import type { Plan } from './account.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS

/**
 * How long what is stored is kept, where nothing ends it sooner; how many of each at most, `BOUNDS` says.
 * `docs/operations.md` names each.
 */
export const KEPT_MS = {
  /** A message's record with its Idempotency-Key, of which at least 30 days are promised. */
  messages: 90 * DAY_MS,
  /** The content of a message that a sandbox number sent: whoever tries it out may look at it. */
  sentContents: 7 * DAY_MS,
  /** A message that was sent, as the engine made it: the recipient's devices may ask for it again. */
  sentMessages: 7 * DAY_MS,
  /** Received messages that are dealt with, so that none is told twice, and what was given up. */
  doneInbox: 30 * DAY_MS,
  /** Tries of received messages that never came to an end. */
  unfinishedMessages: 30 * DAY_MS,
  /** Messages that replies can refer to. */
  seenMessages: 30 * DAY_MS,
  /** Polls, with the secret that their votes need. */
  polls: 90 * DAY_MS,
  /** Pairings that are over. */
  pairings: DAY_MS,
  /** Of numbers that are gone: no host lives on for so long with an epoch that might come again. */
  leases: 30 * DAY_MS,
  /** Hosts and nodes that say nothing any more. */
  hosts: DAY_MS,
  nodes: DAY_MS,
  /** Usage by the hour: the longest range that charts show, and a day to spare. */
  usageHours: 32 * DAY_MS,
  /** Whoever has not asked for so long has its whole allowance again. */
  requestMeters: DAY_MS,
  /** Answers of workers and of the sandbox network to those who asked. */
  answers: 60 * SECOND_MS,
  /** Of a command or an event: the trace that it is a part of. */
  traces: 7 * DAY_MS,
  /** The API log. */
  apiLog: 3 * DAY_MS,
  /** Payloads of a sandbox number that somebody watches. */
  sandboxPayloads: HOUR_MS,
  /** A file that was uploaded for sandbox numbers, after it came and after the time of each message that sends it. */
  uploads: HOUR_MS,
  /** Of an account that somebody listens to: what no listener has acknowledged. */
  listenedEvents: HOUR_MS,
  /** A listener that does not ask any more. */
  listeners: HOUR_MS,
} as const

const DELIVERIES_KEPT_DAYS: Record<Plan, number> = { free: 3, pro: 30, max: 90 }

/** How long a plan keeps delivery history, dead letters and finished replays (specification, Delivery history 3). */
export const deliveriesKeptMs = (plan: Plan): number => DELIVERIES_KEPT_DAYS[plan] * DAY_MS
