import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalKeyStoreWithTransaction } from 'baileys'
import { StorageAway } from '../../platform.ts'
import { emptiesLater, SharedStorage } from '../engine/shared-storage.ts'

/** A transaction of the library on its keys. */
export interface Transaction {
  /** Set when its changes are gathered. */
  endedAt: { position: number } | undefined
  /** Whether a frame was written inside that waits for its end. */
  hasFrame: boolean
  /** A key could not be read inside: the library goes on as if there were none, and leaves a device out. */
  unread?: StorageAway
}

/** Which transaction the running code belongs to; `undefined` outside of one and after its end. */
export interface Transactions {
  current(): Transaction | undefined
}

/**
 * Watches the transactions of a key store. Work that outlives its transaction is taken out of it: the library would
 * write into the dead one and lose the change. One inside of which a key could not be read has failed, whatever the
 * library makes of it.
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
      if (transaction.unread) throw transaction.unread
      failed = false
      return result
    } catch (error) {
      throw transaction.unread ?? error
    } finally {
      transaction.endedAt = { position: tail() }
      // The library sets timers inside, minutes long, and each would keep the Signal sessions that it has read.
      empty()
      onEnd(transaction, failed)
    }
  }
  const noteUnread = (error: unknown): void => {
    const transaction = context.getStore()
    if (transaction && error instanceof StorageAway) transaction.unread ??= error
  }
  keys.get = (type, ids) =>
    escape(async () => {
      try {
        return await original.get(type, ids)
      } catch (error) {
        noteUnread(error)
        throw error
      }
    })
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
