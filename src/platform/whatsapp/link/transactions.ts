import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalKeyStoreWithTransaction } from 'baileys'
import { emptiesLater, SharedStorage } from '../engine/shared-storage.ts'

/** A transaction of the library on its keys. */
export interface Transaction {
  /** Set when its changes are gathered. */
  endedAt: { position: number } | undefined
  /** Whether a frame was written inside that waits for its end. */
  hasFrame: boolean
}

/** Which transaction the running code belongs to; `undefined` outside of one and after its end. */
export interface Transactions {
  current(): Transaction | undefined
}

/**
 * Watches the transactions of a key store. Work that outlives its transaction is taken out of it: the library would
 * write into the dead one and lose the change.
 */
export function watchTransactions(
  keys: SignalKeyStoreWithTransaction,
  tail: () => number,
  onEnd: (transaction: Transaction, failed: boolean) => void,
): Transactions {
  const context = new SharedStorage<Transaction>()
  const outside = AsyncLocalStorage.snapshot()
  const original = { get: keys.get, set: keys.set, transaction: keys.transaction }
  const isDead = (): boolean => context.getStore()?.endedAt !== undefined
  const escape = <T>(work: () => T): T => (isDead() ? outside(work) : work())

  const begin = async <T>(work: () => Promise<T>, key: string): Promise<T> => {
    const transaction: Transaction = { endedAt: undefined, hasFrame: false }
    let failed = true
    let empty = (): void => {}
    const inside = (): Promise<T> => {
      empty = emptiesLater(context)
      return work()
    }
    try {
      const result = await context.run(transaction, () => original.transaction(inside, key))
      failed = false
      return result
    } finally {
      transaction.endedAt = { position: tail() }
      // The library sets timers inside, minutes long, and each would keep the Signal sessions that it has read.
      empty()
      onEnd(transaction, failed)
    }
  }
  keys.get = (type, ids) => escape(() => original.get(type, ids))
  keys.set = data => escape(() => original.set(data))
  keys.transaction = (work, key) =>
    escape(() => (context.getStore() ? original.transaction(work, key) : begin(work, key)))
  return {
    current: () => {
      const transaction = context.getStore()
      return transaction?.endedAt ? undefined : transaction
    },
  }
}
