import type { MessagePort } from 'node:worker_threads'
import type { TransactionName } from '../run-transaction.ts'
import type { Signal, Topic } from '../signals.ts'

/** A transaction for the writer thread. */
export interface WriteRequest {
  id: number
  transaction: TransactionName
  input: unknown
}

export interface Outcome {
  id: number
  value?: unknown
  error?: { kind: 'data' | 'unavailable' | 'bug'; message: string }
}

/** `listen`: from now on the thread gets the signals of this topic. */
export type ToWriter = { requests: WriteRequest[] } | { listen: Topic } | { attach: MessagePort } | { close: true }

/** Sent once, before the first transaction. */
export type Started = { ready: number[] } | { failed: { name: string; message: string } }

export interface FromWriter {
  outcomes: Outcome[]
  signals: Signal[]
}
