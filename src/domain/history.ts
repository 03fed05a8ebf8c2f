/** How long the gateway waits for the phone. */
export const HISTORY_WAIT_MS = 24 * 3_600_000

/** The most messages that one request asks for. */
export const MAX_HISTORY = 500

/** What is published of the history that a phone sends to a device that was just linked. */
export const FIRST_HISTORY = { messages: 10_000, days: 90 }

/** `receiving`: parts have arrived, and more follow. `expired`: the phone did not answer in time. */
export const HISTORY_STATES = ['waiting', 'receiving', 'done', 'failed', 'expired'] as const
export type HistoryState = (typeof HISTORY_STATES)[number]

/** A request for older messages of a chat, or for the history that the phone sends after linking. */
export interface HistoryJob {
  id: string
  sessionId: string
  /** `null`: all chats, after linking. */
  chatJid: string | null
  state: HistoryState
  wanted: number
  /** How many messages were published. */
  found: number
  /** Whether the phone has still older ones; `null` while it has not said so. */
  hasMore: boolean | null
  createdAt: number
  updatedAt: number
  endsAt: number
}

/** What a part of the phone's answer changes. */
export interface HistoryProgress {
  jobId: string
  found: number
  state: 'receiving' | 'done' | 'failed'
  hasMore: boolean | null
}

/** A request that waits for parts of the history. */
export interface WaitingHistory {
  id: string
  chatJid: string
  /** How many messages may still come. */
  left: number
}

/** The history after linking, while parts of it may still come. */
export interface FirstHistory {
  id: string
  isDone: boolean
  left: number
  linkedAtMs: number
}
