import { setImmediate as nextRound, setTimeout as later } from 'node:timers/promises'
import { type Signal, withoutFresh } from '../../signals.ts'
import { SignalSet } from './signal-set.ts'
import { notifyStatements, type Statement } from './notify-statements.ts'

/** Other processes are notified at most this often. */
const INTERVAL_MS = 20
/** Beyond this many signals the receivers find the changes sooner by polling. */
const MAX_WAITING = 10_000

type Send = (statement: Statement) => Promise<unknown>

/** Notifies other processes after commits. Signals that arrive while a notification is sent go with the next one. */
export class Notifier {
  readonly #send: Send
  readonly #self: string
  readonly #waiting = new SignalSet()
  #sending: Promise<void> | undefined

  constructor(self: string, send: Send) {
    this.#self = self
    this.#send = send
  }

  add(signals: Signal[]): void {
    for (const signal of signals) if (this.#waiting.size < MAX_WAITING) this.#waiting.add(withoutFresh(signal))
    if (this.#waiting.size > 0) this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined))
  }

  /** Resolves when all signals that were added before are sent. */
  async sent(): Promise<void> {
    await this.#sending
  }

  async #sendAll(): Promise<void> {
    // Commits of the same round of the event loop share a notification.
    await nextRound()
    while (this.#waiting.size > 0) {
      const interval = later(INTERVAL_MS)
      try {
        for (const statement of notifyStatements(this.#waiting.take(), this.#self)) await this.#send(statement)
      } catch {
        // The receivers poll while the connection is down.
      }
      await interval
    }
  }
}
