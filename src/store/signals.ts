import { EventEmitter } from 'node:events'
import type { Topic } from './tx.ts'

/** Wake-ups after commits. They may be lost or doubled: a listener reads the store, and polls besides. */
export class Signals {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  emit(topic: Topic, key: string): void {
    this.#emitter.emit(topic, key)
  }

  /** Calls back for every wake-up of a topic until the returned function is called. */
  on(topic: Topic, listener: (key: string) => void): () => void {
    this.#emitter.on(topic, listener)
    return () => this.#emitter.off(topic, listener)
  }
}
