import type { MessagePort } from 'node:worker_threads'
import type { UnitName } from '../run-unit.ts'
import type { Signal } from '../signals.ts'

/** A unit that the writing thread is asked to run. */
export interface Ask {
  id: number
  unit: UnitName
  input: unknown
}

export interface Outcome {
  id: number
  value?: unknown
  error?: { kind: 'data' | 'unavailable' | 'bug'; message: string }
}

export type ToWriter = { asks: Ask[] } | { attach: MessagePort } | { close: true }

/** Told once, before anything is asked. */
export type Started = { ready: number[] } | { failed: { name: string; message: string } }

export interface FromWriter {
  outcomes: Outcome[]
  signals: Signal[]
}
