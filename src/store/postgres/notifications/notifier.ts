import { setImmediate as nextRound, setTimeout as later } from 'node:timers/promises'
import { type Signal, withoutFresh } from '../../signals.ts'
import { GatheredSignals } from './gathered-signals.ts'
import { notifyStatements, type Statement } from './notify-statements.ts'

/** However much is committed, other processes are told no more often than this. */
const QUIET_MS = 20
/** Where so much waits to be told, whoever it is for finds it sooner by looking. */
const MAX_WAITING = 10_000

type Send = (statement: Statement) => Promise<unknown>

/** Tells other processes of commits, after them: what is committed while a notice is on its way goes with the next. */
export class Notifier {
  readonly #send: Send
  readonly #self: string
  readonly #waiting = new GatheredSignals()
  #sending: Promise<void> | undefined

  constructor(self: string, send: Send) {
    this.#self = self
    this.#send = send
  }

  add(signals: Signal[]): void {
    for (const signal of signals) if (this.#waiting.size < MAX_WAITING) this.#waiting.add(withoutFresh(signal))
    if (this.#waiting.size > 0) this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined))
  }

  /** Resolves when all was told that was added before. */
  async told(): Promise<void> {
    await this.#sending
  }

  async #sendAll(): Promise<void> {
    // Commits of the same moment are told together.
    await nextRound()
    while (this.#waiting.size > 0) {
      const quiet = later(QUIET_MS)
      try {
        for (const statement of notifyStatements(this.#waiting.take(), this.#self)) await this.#send(statement)
      } catch {
        // Polling finds what a line that is down does not tell.
      }
      await quiet
    }
  }
}
