import type { MessagePort } from 'node:worker_threads'
import type { Signal, Signals, Topic } from '../../signals.ts'

/** What tells of commits: a process's own, or the end of it that one of its threads has. */
export interface NotificationHub {
  readonly signals: Signals
  /** A commit of this thread has changed something. Whoever waits in this thread has heard of it when this returns. */
  tell(signals: Signal[]): void
  /** What another thread of this process needs to take part. */
  attach(): MessagePort
  close(): Promise<void>
}

/** What travels between a thread and the notices of its process. */
export type FromThread = { told: Signal[] } | { wanted: Topic }
export interface ToThread {
  told: Signal[]
}
