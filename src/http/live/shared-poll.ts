import type { Context } from '../../context.ts'
import { aborted } from '../../role.ts'
import type { Signals, Topic } from '../../store/signals.ts'
import { PolledSignal } from '../../store/polled-signal.ts'

/** However much changes, it is read no more often than this. */
const QUIET_MS = 100

interface PollOptions<T> {
  everyMs: number
  /** Notifications that cause an earlier read. */
  topics: Topic[]
  /** `before`: the value of the last read. */
  read: (key: string, before: T | undefined) => Promise<T>
}

interface Followed<T> {
  readonly tells: Set<(value: T) => void>
  before: T | undefined
}

type Deps = Pick<Context, 'clock' | 'log'> & { store: { signals: Signals } }

/** Polls what streams follow: one read for all streams with the same key, one key after the other, and none without streams. */
export class SharedPoll<T> {
  readonly #deps: Deps
  readonly #options: PollOptions<T>
  readonly #followed = new Map<string, Followed<T>>()
  #wakeUp: PolledSignal<Topic> | undefined

  constructor(deps: Deps, options: PollOptions<T>) {
    this.#deps = deps
    this.#options = options
  }

  /** Calls `onValue` with the value now and after each further read, until the signal aborts. */
  async follow(key: string, tell: (value: T) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const followed = this.#followed.get(key) ?? { tells: new Set(), before: undefined }
    followed.tells.add(tell)
    this.#followed.set(key, followed)
    if (this.#wakeUp === undefined) void this.#run()
    else this.#wakeUp.wake()
    await aborted(signal)
    followed.tells.delete(tell)
    if (followed.tells.size > 0) return
    this.#followed.delete(key)
    this.#wakeUp?.wake()
  }

  async #run(): Promise<void> {
    const wakeUp = new PolledSignal(this.#deps, this.#options.topics, { quietMs: QUIET_MS })
    this.#wakeUp = wakeUp
    while (this.#followed.size > 0) {
      for (const [key, followed] of this.#followed) await this.#read(key, followed)
      await wakeUp.sleep(this.#options.everyMs)
    }
    wakeUp.stop()
    this.#wakeUp = undefined
  }

  /** An unreachable database ends no stream, and a stream that fails does not keep the others from their value. */
  async #read(key: string, followed: Followed<T>): Promise<void> {
    const { log } = this.#deps
    try {
      const value = await this.#options.read(key, followed.before)
      followed.before = value
      for (const tell of followed.tells)
        attempt(
          () => tell(value),
          error => log.warn({ err: error }, 'stream.untold'),
        )
    } catch (error) {
      log.warn({ err: error }, 'stream.unread')
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
