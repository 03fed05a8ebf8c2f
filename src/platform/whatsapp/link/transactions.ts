import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalKeyStoreWithTransaction } from 'baileys'
import { StorageUnavailable } from '../../platform.ts'
import { clearLater, SharedStorage } from '../engine/shared-storage.ts'

/** A transaction of the library on its keys. */
export interface Transaction {
  /** Set when its changes are added. */
  endedAt: { position: number } | undefined
  /** A frame was written inside and waits for the end of the transaction. */
  hasFrame: boolean
  /** A key could not be read inside: the library would go on as if there were none, and skip a device. */
  readError?: StorageUnavailable
}

/** Which transaction the running code belongs to; `undefined` outside of one and after its end. */
export interface Transactions {
  current(): Transaction | undefined
}

/**
 * Watches the transactions of a key store. Work that outlives its transaction runs outside of it: the library would
 * write into the finished transaction and lose the change. A transaction in which a key could not be read fails, even
 * if the library ignores that.
 */
export function watchTransactions(
  keys: SignalKeyStoreWithTransaction,
  tail: () => number,
  onEnd: (transaction: Transaction, failed: boolean) => void,
): Transactions {
  const context = new SharedStorage<Transaction>()
  const outside = AsyncLocalStorage.snapshot()
  const original = { get: keys.get, set: keys.set, transaction: keys.transaction }
  const isEnded = (): boolean => context.getStore()?.endedAt !== undefined
  const escape = <T>(work: () => T): T => (isEnded() ? outside(work) : work())

  const begin = async <T>(work: () => Promise<T>, key: string): Promise<T> => {
    const transaction: Transaction = { endedAt: undefined, hasFrame: false }
    let failed = true
    let clear = (): void => {}
    const inside = (): Promise<T> => {
      clear = clearLater(context)
      return work()
    }
    try {
      const result = await context.run(transaction, () => original.transaction(inside, key))
      if (transaction.readError) throw transaction.readError
      failed = false
      return result
    } catch (error) {
      throw transaction.readError ?? error
    } finally {
      transaction.endedAt = { position: tail() }
      // Timers of the library that run for minutes would otherwise keep the Signal sessions in memory that were read.
      clear()
      onEnd(transaction, failed)
    }
  }
  const noteReadError = (error: unknown): void => {
    const transaction = context.getStore()
    if (transaction && error instanceof StorageUnavailable) transaction.readError ??= error
  }
  keys.get = (type, ids) =>
    escape(async () => {
      try {
        return await original.get(type, ids)
      } catch (error) {
        noteReadError(error)
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
