import { Bell } from '../../bell.ts'
import type { Store } from '../../store/store.ts'
import type { Hold } from '../hold.ts'
import type { HostParts } from '../parts.ts'
import type { ChatQueues } from './chat-queues.ts'

const READ_AHEAD = 128
/** While so many chats could begin a command, the others wait in the store. */
const ENOUGH = 16
/** A burst of wake-ups is one read. */
const READ_PAUSE_MS = 10

interface ReaderParts extends Pick<HostParts, 'clock' | 'log'> {
  store: Pick<Store, 'commands'>
  hold: Hold
  queues: ChatQueues
  /** Rung when something was read. */
  ready: Bell
}

/** Brings a number's due commands into memory. */
export class CommandReader {
  readonly #parts: ReaderParts
  readonly #wanted = new Bell()
  #isStopped = false
  /** The store has due commands that were not read. */
  #hasLeftOut = false

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  /** Something may be due. */
  want(): void {
    this.#wanted.ring()
  }

  /** A command has ended: what was left out may begin. */
  wantLeftOut(): void {
    if (this.#hasLeftOut && !this.#isEnough()) this.want()
  }

  stop(): void {
    this.#isStopped = true
    this.#wanted.ring()
  }

  /** Reads whenever something is wanted, until it is stopped. */
  async run(): Promise<void> {
    const { hold, clock, log, ready } = this.#parts
    for (;;) {
      await this.#wanted.heard()
      if (this.#isStopped) return
      if (!hold.lasts()) continue
      await this.#read().catch((error: unknown) => {
        log.warn({ session: hold.sessionId, err: error }, 'commands.unread')
      })
      ready.ring()
      await clock.sleep(READ_PAUSE_MS)
    }
  }

  async #read(): Promise<void> {
    const { store, clock, hold, queues } = this.#parts
    this.#hasLeftOut = true
    if (this.#isEnough()) return
    const exceptQueues = queues.crowded(clock.monotonicMs())
    const due = await store.commands.readDueCommands({
      sessionId: hold.sessionId,
      exceptQueues,
      exceptIds: queues.ids(),
      limit: READ_AHEAD,
    })
    const fits = queues.add(due)
    this.#hasLeftOut = !fits || due.length === READ_AHEAD || exceptQueues.length > 0
  }

  #isEnough(): boolean {
    return this.#parts.queues.ready(this.#parts.clock.monotonicMs()) >= ENOUGH
  }
}
