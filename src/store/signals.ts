import type { DueSend } from '../domain/command.ts'
import type { DueDelivery } from '../domain/delivery.ts'

/** A wake-up after a commit. `about` is the topic; the other fields name the row, if it is known. */
export type Signal =
  /**
   * For the host of a number. `fresh` are all commands that the commit added, in their order: a host that has all earlier
   * ones in memory need not read them.
   */
  | { about: 'commands'; sessionId: string; fresh?: DueSend[] }
  /** For the host of a number. */
  | { about: 'requests'; sessionId: string }
  | { about: 'sandbox_requests' }
  /** For the process that made the request. */
  | { about: 'answers'; requestId: string; to: string }
  /**
   * A listener reads from the due time on, also when this commit overtook another. `fresh` are all deliveries that the
   * commit added to the lane: listeners in the same process need not read them.
   */
  | { about: 'deliveries'; lane: string; dueAt: number; fresh?: DueDelivery[] }
  | { about: 'webhooks'; webhookId: string }
  /** Some shards are free. */
  | { about: 'shards' }
  | { about: 'replays' }
  /** People are to be erased. */
  | { about: 'erasures' }
  /** A process listens at other endpoints than before. */
  | { about: 'nodes' }
  /** An account or one of its keys has changed. */
  | { about: 'keys'; accountId: string }
  | { about: 'sessions'; sessionId: string }
  | { about: 'pairings'; pairingId: string }
  /** An event was stored for the listeners of an account, or for a pull endpoint. */
  | { about: 'listened'; streamId: string }
  /** A host has ended: its leases are free. */
  | { about: 'hosts' }

export type Topic = Signal['about']
export type SignalAbout<T extends Topic> = Extract<Signal, { about: T }>

/** What a listener returns if it alone in the whole cluster needs the signal. */
export const TAKEN = 'taken'
type Listener = (signal: Signal) => unknown

export interface SignalOptions {
  /** The address of this process, for signals to it alone. */
  address: string
  /** Whether signals of other processes arrive; otherwise only polling finds their commits. */
  isOn: boolean
  /** No signal is ever lost: there is one process, and its threads get all of them. */
  areCertain?: boolean
  /** A listener of this process waits for the topic. */
  onWanted?: (topic: Topic) => void
}

/** How often the store is polled where no signal is lost. */
const RARE_POLL_MS = 6_000

/** Wake-ups after commits. They may be lost or repeated: a listener reads the store, and also polls. */
export class Signals {
  readonly address: string
  readonly #options: SignalOptions
  readonly #listeners = new Map<Topic, readonly Listener[]>()

  constructor(options: SignalOptions = { address: '', isOn: true }) {
    this.address = options.address
    this.#options = options
  }

  /** Returns whether a listener has taken it, so that no other process needs it. */
  emit(signal: Signal): boolean {
    let isTaken = false
    for (const listener of this.#listeners.get(signal.about) ?? []) isTaken = listener(signal) === TAKEN || isTaken
    return isTaken
  }

  /** Calls back for every wake-up of a topic until the returned function is called. */
  on<T extends Topic>(topic: T, listener: (signal: SignalAbout<T>) => unknown): () => void {
    const own: Listener = signal => listener(signal as SignalAbout<T>)
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), own])
    this.#options.onWanted?.(topic)
    return () => {
      const others = (this.#listeners.get(topic) ?? []).filter(each => each !== own)
      this.#listeners.set(topic, others)
    }
  }

  /** Whether no signal is ever lost. */
  get areCertain(): boolean {
    return this.#options.areCertain === true
  }

  /** How long to wait before the next round of something that no signal announces: longer in the only process. */
  restMs(ms: number): number {
    return this.areCertain ? Math.max(ms, RARE_POLL_MS) : ms
  }

  /** How long to wait before the next poll: longer if no signal is lost, half as long if those of other processes are. */
  pollDelayMs(ms: number): number {
    return this.areCertain || this.#options.isOn ? this.restMs(ms) : ms / 2
  }
}

/** The signal without the fields that only the committing process can use. */
export function withoutFresh(signal: Signal): Signal {
  if (!('fresh' in signal)) return signal
  const { fresh: _, ...bare } = signal
  return bare
}

/** Merges two signals of one commit about the same row. `fresh` is kept only if both have it. */
export function mergeSignals(first: Signal, second: Signal): Signal {
  if (first.about !== 'deliveries' || second.about !== 'deliveries') return second
  const { about, lane } = first
  const dueAt = Math.min(first.dueAt, second.dueAt)
  if (first.fresh === undefined || second.fresh === undefined) return { about, lane, dueAt }
  return { about, lane, dueAt, fresh: [...first.fresh, ...second.fresh] }
}
