import type { Context } from '../../context.ts'
import { aborted } from '../../role.ts'
import type { Signals, Topic } from '../../store/signals.ts'
import { PolledSignal } from '../../store/polled-signal.ts'

/** The shortest time between two reads, however many notifications arrive. */
const QUIET_MS = 100

interface PollOptions<T> {
  everyMs: number
  /** Notifications that cause an earlier read. */
  topics: Topic[]
  /** `before`: the value of the last read. */
  read: (key: string, before: T | undefined) => Promise<T>
}

interface Followed<T> {
  readonly callbacks: Set<(value: T) => void>
  before: T | undefined
}

type Deps = Pick<Context, 'clock' | 'log'> & { store: { signals: Signals } }

/**
 * Polls for streams: all streams with the same key share one read, the keys are read one after the other, and the poll
 * stops when no stream is left.
 */
export class SharedPoll<T> {
  readonly #deps: Deps
  readonly #options: PollOptions<T>
  readonly #followed = new Map<string, Followed<T>>()
  #signal: PolledSignal<Topic> | undefined

  constructor(deps: Deps, options: PollOptions<T>) {
    this.#deps = deps
    this.#options = options
  }

  /** Calls `onValue` with the value now and after each further read, until the signal aborts. */
  async follow(key: string, onValue: (value: T) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const followed = this.#followed.get(key) ?? { callbacks: new Set(), before: undefined }
    followed.callbacks.add(onValue)
    this.#followed.set(key, followed)
    if (this.#signal === undefined) void this.#run()
    else this.#signal.wake()
    await aborted(signal)
    followed.callbacks.delete(onValue)
    if (followed.callbacks.size > 0) return
    this.#followed.delete(key)
    this.#signal?.wake()
  }

  async #run(): Promise<void> {
    const signal = new PolledSignal(this.#deps, this.#options.topics, { quietMs: QUIET_MS })
    this.#signal = signal
    while (this.#followed.size > 0) {
      for (const [key, followed] of this.#followed) await this.#read(key, followed)
      await signal.sleep(this.#options.everyMs)
    }
    signal.stop()
    this.#signal = undefined
  }

  /** An unreachable database ends no stream, and a stream that fails does not keep the others from their value. */
  async #read(key: string, followed: Followed<T>): Promise<void> {
    const { log } = this.#deps
    try {
      const value = await this.#options.read(key, followed.before)
      followed.before = value
      for (const onValue of followed.callbacks)
        attempt(
          () => onValue(value),
          error => log.warn({ err: error }, 'stream.push_failed'),
        )
    } catch (error) {
      log.warn({ err: error }, 'stream.read_failed')
    }
  }
}

function attempt(work: () => void, onError: (error: unknown) => void): void {
  try {
    work()
  } catch (error) {
    onError(error)
  }
}
