import type { Journal } from '../device/journal.ts'
import type { Transaction } from './transactions.ts'

/**
 * The write-ahead gate: a frame leaves only after everything that happened before it is durable. Frames carry a
 * counter, so they leave in the order in which they were written.
 */
export interface Gate {
  /**
   * `transaction` is the one in which the frame was written: its key changes come after the frame and have to be
   * durable too. A query is answered inside its transaction and gives away nothing of its keys: it does not wait.
   */
  write(frame: Uint8Array, transaction: Transaction | undefined): void
  /** Lets out what may leave by now. */
  release(): void
  /** Nothing leaves any more. */
  shut(): void
}

interface Held {
  frame: Uint8Array
  transaction: Transaction | undefined
  after: number
}

export function createGate(journal: Pick<Journal, 'tail' | 'committed'>, send: (frame: Uint8Array) => void): Gate {
  let queue: Held[] = []
  let open = true

  const mayLeave = (held: Held): boolean => {
    if (held.transaction) {
      if (!held.transaction.endedAt) return false
      held.after = Math.max(held.after, held.transaction.endedAt.position)
    }
    return held.after <= journal.committed()
  }
  const release = (): void => {
    let count = 0
    while (count < queue.length && mayLeave(queue[count]!)) count += 1
    if (count === 0) return
    const leaving = queue.slice(0, count)
    queue = queue.slice(count)
    for (const { frame } of leaving) send(frame)
  }
  return {
    write(frame, transaction) {
      if (!open) return
      if (transaction) transaction.hasFrame = true
      queue.push({ frame, transaction, after: journal.tail() })
      release()
    },
    release,
    shut() {
      open = false
      queue = []
    },
  }
}
