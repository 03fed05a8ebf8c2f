import { EventEmitter } from 'node:events'
import type { DueDelivery } from '../domain/delivery.ts'

/** What a commit wakes somebody for. `about` is the topic; the rest says which, where that is known. */
export type Signal =
  | { about: 'commands'; sessionId: string }
  /** For a number's worker. */
  | { about: 'requests'; sessionId: string }
  | { about: 'sandbox_requests' }
  /** For the process that has asked. */
  | { about: 'answers'; requestId: string; to: string }
  /**
   * The due time tells the listener where to read from, also when this commit overtook another. `fresh` is all that the
   * commit has put into the lane: within its process nobody has to read it.
   */
  | { about: 'deliveries'; lane: string; dueAt: number; fresh?: DueDelivery[] }
  | { about: 'webhooks'; webhookId: string }
  /** Some are free. */
  | { about: 'shards' }
  | { about: 'replays' }
  /** An account, or one of its keys. */
  | { about: 'keys'; accountId: string }
  | { about: 'sessions'; sessionId: string }
  | { about: 'pairings'; pairingId: string }
  /** Something that somebody listens to has happened there. */
  | { about: 'listened'; accountId: string }
  /** One has ended: what it held is free. */
  | { about: 'hosts' }

export type Topic = Signal['about']
export type SignalAbout<T extends Topic> = Extract<Signal, { about: T }>

export interface Hearing {
  /** What this process is called where something is for it alone. */
  address: string
  /** Whether commits of other processes are heard of; else polling alone finds them. */
  isOn: boolean
  /** Somebody here waits for the topic. */
  onWanted?: (topic: Topic) => void
}

/** Wake-ups after commits. They may be lost or doubled: a listener reads the store, and polls besides. */
export class Signals {
  readonly address: string
  readonly #hearing: Hearing
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  constructor(hearing: Hearing = { address: '', isOn: true }) {
    this.address = hearing.address
    this.#hearing = hearing
  }

  emit(signal: Signal): void {
    this.#emitter.emit(signal.about, signal)
  }

  /** Calls back for every wake-up of a topic until the returned function is called. */
  on<T extends Topic>(topic: T, listener: (signal: SignalAbout<T>) => void): () => void {
    this.#emitter.on(topic, listener)
    this.#hearing.onWanted?.(topic)
    return () => this.#emitter.off(topic, listener)
  }

  /** How long to wait before the next look at the store: half of it where nothing else tells of changes. */
  lookAfterMs(ms: number): number {
    return this.#hearing.isOn ? ms : ms / 2
  }
}

/** The signal as others than the process that committed are told of it. */
export function withoutFresh(signal: Signal): Signal {
  if (signal.about !== 'deliveries' || signal.fresh === undefined) return signal
  const { about, lane, dueAt } = signal
  return { about, lane, dueAt }
}

/** Two signals of one commit about the same, as one: fresh is what both bring, or nothing. */
export function together(first: Signal, second: Signal): Signal {
  if (first.about !== 'deliveries' || second.about !== 'deliveries') return second
  const { about, lane } = first
  const dueAt = Math.min(first.dueAt, second.dueAt)
  if (first.fresh === undefined || second.fresh === undefined) return { about, lane, dueAt }
  return { about, lane, dueAt, fresh: [...first.fresh, ...second.fresh] }
}
