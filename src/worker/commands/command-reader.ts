import { WakeSignal } from '../../runtime/wake-signal.ts'
import type { Store } from '../../store/store.ts'
import type { HeldLease } from '../hold.ts'
import type { HostDeps } from '../deps.ts'
import type { ChatQueues } from './chat-queues.ts'

const READ_AHEAD = 128
/** While so many chats could begin a command, the others wait in the store. */
const ENOUGH = 16
/** A burst of wake-ups is one read. */
const READ_PAUSE_MS = 10

interface ReaderDeps extends Pick<HostDeps, 'clock' | 'log'> {
  store: Pick<Store, 'commands'>
  hold: HeldLease
  queues: ChatQueues
  /** Rung when something was read. */
  ready: WakeSignal
}

/** Brings a number's due commands into memory. */
export class CommandReader {
  readonly #deps: ReaderDeps
  readonly #wanted = new WakeSignal()
  #isStopped = false
  /** The store has due commands that were not read. */
  #hasLeftOut = false

  constructor(deps: ReaderDeps) {
    this.#deps = deps
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
    const { hold, clock, log, ready } = this.#deps
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
    const { store, clock, hold, queues } = this.#deps
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
    return this.#deps.queues.ready(this.#deps.clock.monotonicMs()) >= ENOUGH
  }
}
