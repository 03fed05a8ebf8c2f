import type { MessagePort } from 'node:worker_threads'
import { type Signal, Signals, type Topic } from '../../signals.ts'
import type { FromThread, NotificationHub, ToThread } from './notification-hub.ts'

/** The end of a process's hub in one of its threads. */
export class ThreadNotifications implements NotificationHub {
  readonly signals: Signals
  readonly #port: MessagePort
  readonly #wanted = new Set<Topic>()

  constructor(port: MessagePort, options: { address: string; isOn: boolean }) {
    this.#port = port
    this.signals = new Signals({ ...options, onWanted: topic => this.#want(topic) })
    port.on('message', ({ signals }: ToThread) => {
      for (const signal of signals) this.signals.emit(signal)
    })
    port.unref()
  }

  publish(signals: Signal[]): void {
    for (const signal of signals) this.signals.emit(signal)
    if (signals.length > 0) this.#post({ published: signals })
  }

  attach(): MessagePort {
    throw new Error('attach from the thread that opened the store')
  }

  async close(): Promise<void> {
    this.#port.close()
  }

  #want(topic: Topic): void {
    if (this.#wanted.has(topic)) return
    this.#wanted.add(topic)
    this.#post({ wanted: topic })
  }

  #post(message: FromThread): void {
    this.#port.postMessage(message)
  }
}
