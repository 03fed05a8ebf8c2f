import type { DeviceChanges } from '../device/device-changes.ts'
import type { Transaction } from './transactions.ts'

interface HeldFrame {
  frame: Uint8Array
  transaction: Transaction | undefined
  after: number
}

/**
 * The write-ahead gate: a frame leaves only after everything that happened before it is durable. Frames carry a
 * counter, so they leave in the order in which they were written.
 */
export class Gate {
  readonly #changes: Pick<DeviceChanges, 'tail' | 'committed'>
  readonly #send: (frame: Uint8Array) => void
  #held: HeldFrame[] = []
  #isShut = false

  constructor(changes: Pick<DeviceChanges, 'tail' | 'committed'>, send: (frame: Uint8Array) => void) {
    this.#changes = changes
    this.#send = send
  }

  /**
   * `transaction` is the one in which the frame was written: its key changes come after the frame and have to be
   * durable too. The response to a query is needed inside its transaction, and a query reveals nothing of the keys, so
   * it does not wait.
   */
  write(frame: Uint8Array, transaction: Transaction | undefined): void {
    if (this.#isShut) return
    if (transaction) transaction.hasFrame = true
    this.#held.push({ frame, transaction, after: this.#changes.tail() })
    this.release()
  }

  /** Sends the held frames that may leave by now. */
  release(): void {
    let count = 0
    while (count < this.#held.length && this.#mayLeave(this.#held[count]!)) count += 1
    if (count === 0) return
    const leaving = this.#held.slice(0, count)
    this.#held = this.#held.slice(count)
    for (const { frame } of leaving) this.#send(frame)
  }

  /** Drops the held frames and all later ones. */
  shut(): void {
    this.#isShut = true
    this.#held = []
  }

  #mayLeave(held: HeldFrame): boolean {
    if (held.transaction) {
      if (!held.transaction.endedAt) return false
      held.after = Math.max(held.after, held.transaction.endedAt.position)
    }
    return held.after <= this.#changes.committed()
  }
}
