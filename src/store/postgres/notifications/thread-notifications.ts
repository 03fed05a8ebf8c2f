import type { MessagePort } from 'node:worker_threads'
import { type Signal, Signals, type Topic } from '../../signals.ts'
import type { FromThread, NotificationHub, ToThread } from './notification-hub.ts'

/** A thread's end of the notices of its process. */
export class ThreadNotifications implements NotificationHub {
  readonly signals: Signals
  readonly #port: MessagePort
  readonly #wanted = new Set<Topic>()

  constructor(port: MessagePort, hearing: { address: string; isOn: boolean }) {
    this.#port = port
    this.signals = new Signals({ ...hearing, onWanted: topic => this.#want(topic) })
    port.on('message', ({ told }: ToThread) => {
      for (const signal of told) this.signals.emit(signal)
    })
    port.unref()
  }

  tell(signals: Signal[]): void {
    for (const signal of signals) this.signals.emit(signal)
    if (signals.length > 0) this.#post({ told: signals })
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
