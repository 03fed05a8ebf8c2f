import { EventEmitter } from 'node:events'

/** What a commit wakes somebody for. `about` is the topic; the rest says which, where that is known. */
export type Signal =
  | { about: 'commands'; sessionId: string }
  /** For a number's worker. */
  | { about: 'requests'; sessionId: string }
  | { about: 'sandbox_requests' }
  | { about: 'answers'; requestId: string }
  /** The due time tells the listener where to read from, also when this commit overtook another. */
  | { about: 'deliveries'; lane: string; dueAt: number }
  | { about: 'webhooks'; webhookId: string }
  /** Some are free. */
  | { about: 'shards' }
  | { about: 'replays' }
  /** An account, or one of its keys. */
  | { about: 'keys'; accountId: string }
  | { about: 'sessions'; sessionId: string }
  | { about: 'pairings'; pairingId: string }
  /** One has ended: what it held is free. */
  | { about: 'hosts' }

export type Topic = Signal['about']
export type SignalAbout<T extends Topic> = Extract<Signal, { about: T }>

/** Wake-ups after commits. They may be lost or doubled: a listener reads the store, and polls besides. */
export class Signals {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  emit(signal: Signal): void {
    this.#emitter.emit(signal.about, signal)
  }

  /** Calls back for every wake-up of a topic until the returned function is called. */
  on<T extends Topic>(topic: T, listener: (signal: SignalAbout<T>) => void): () => void {
    this.#emitter.on(topic, listener)
    return () => this.#emitter.off(topic, listener)
  }
}
