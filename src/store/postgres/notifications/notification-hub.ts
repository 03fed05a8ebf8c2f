import type { MessagePort } from 'node:worker_threads'
import type { Signal, Signals, Topic } from '../../signals.ts'

/** Publishes the signals of commits: the hub of a process, or the end of it in one of its threads. */
export interface NotificationHub {
  readonly signals: Signals
  /** Publishes the signals of a commit in this thread. Listeners in this thread were called when this returns. */
  publish(signals: Signal[]): void
  /** The port that connects another thread of this process. */
  attach(): MessagePort
  close(): Promise<void>
}

/** Messages between a thread and the hub of its process. */
export type FromThread = { published: Signal[] } | { wanted: Topic }
export interface ToThread {
  signals: Signal[]
}
