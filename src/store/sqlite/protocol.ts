import type { MessagePort } from 'node:worker_threads'
import type { UnitName } from '../run-unit.ts'
import type { Signal } from '../signals.ts'

/** What passes between the threads that ask and the thread that writes. */
export interface Call {
  id: number
  unit: UnitName
  input: unknown
}

export interface Outcome {
  id: number
  value?: unknown
  error?: { kind: 'data' | 'unavailable' | 'bug'; message: string }
}

export type ToWriter = { calls: Call[] } | { attach: MessagePort } | { close: true }

export interface FromWriter {
  outcomes: Outcome[]
  signals: Signal[]
}
