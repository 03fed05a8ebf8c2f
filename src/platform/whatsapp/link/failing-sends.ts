import type { Ack } from './acks.ts'
import type { Connection } from './connection.ts'

/** How many different chats have to fail in a row: fewer may be the chats' own fault. */
const SUSPICIOUS = 5
const REASON = 'the platform refused or ignored every message'

/**
 * Notices that a link is open but no message gets through: the platform refuses each with 400, or acknowledges none.
 * Often a new login helps.
 */
export class FailingSends {
  readonly #report: (isFailing: boolean) => void
  readonly #failed = new Set<string>()
  /** Whether a new login was tried since the last accepted message. */
  #hasLoggedIn = false
  #isReported = false

  /** `report`: whether messages fail even after a new login. */
  constructor(report: (isFailing: boolean) => void) {
    this.#report = report
  }

  /** Notes the outcome of a message. Other refusals are about the recipient or the content, and prove nothing. */
  note(connection: Pick<Connection, 'end'>, chat: string, ack: Ack | 'timeout' | 'lost'): void {
    if (typeof ack === 'object' && ack.ok) return this.#accepted()
    const isSuspicious = ack === 'timeout' || (typeof ack === 'object' && !ack.ok && ack.code === 400)
    if (!isSuspicious) return
    this.#failed.add(chat)
    if (this.#failed.size < SUSPICIOUS) return
    this.#failed.clear()
    if (this.#hasLoggedIn) {
      this.#isReported = true
      return this.#report(true)
    }
    this.#hasLoggedIn = true
    connection.end({ kind: 'lost', reason: REASON })
  }

  #accepted(): void {
    this.#failed.clear()
    this.#hasLoggedIn = false
    if (!this.#isReported) return
    this.#isReported = false
    this.#report(false)
  }
}
