import { type Deferred, LOCKED } from './deferred.ts'
import { groupCommit, type GroupCommitOptions } from './group-commit.ts'
import type { SingleStatement } from './single-statement.ts'
import { Semaphore } from '../runtime/semaphore.ts'

const isDeferred = (result: unknown): result is Deferred => (result as Deferred | null)?.kind === 'deferred'
const isLocked = (result: unknown): boolean => isDeferred(result) && result.because === 'locked'

/** How the items that a batch deferred as locked are written: those with the same key in one transaction, which waits. */
export interface LockedItems<Item = unknown> {
  keyOf(item: Item): string
  /** The name of the waiting transaction, in the same repository. */
  transaction: string
}

export interface BatchWriters {
  /** Writes the items in the transaction of this name. */
  write: (name: string, items: unknown[]) => Promise<unknown[]>
  /** Writes the items as one statement, which waits for locked rows or defers their items. */
  writeSingleStatement?:
    | ((statement: SingleStatement, items: unknown[], waits: boolean) => Promise<unknown[]>)
    | undefined
  singleStatement: SingleStatement | undefined
  lockedItems: LockedItems | undefined
}

type Write = (item: unknown) => Promise<unknown>

/**
 * Callers pass one item each, and concurrent calls share a commit. If the database has a single statement for the batch, an
 * item goes into that first. A deferred item goes into the transaction, then into the transaction that waits for locks.
 */
export function batch(name: string, writers: BatchWriters, options: GroupCommitOptions): Write {
  const { write, writeSingleStatement, singleStatement, lockedItems } = writers
  const shared = groupCommit((items: unknown[]) => write(name, items), options)
  const inTransaction = lockedItems === undefined ? shared : waitingForLocks(shared, lockedItems, write, options)
  if (writeSingleStatement === undefined || singleStatement === undefined) return inTransaction

  const quick = groupCommit((items: unknown[]) => writeSingleStatement(singleStatement, items, false), options)
  const quickly = (item: unknown, orElse: (first: Deferred) => unknown): Promise<unknown> =>
    quick(item).then(first => (isDeferred(first) ? orElse(first) : first))
  if (lockedItems === undefined)
    return item => (singleStatement.fits(item) ? quickly(item, () => inTransaction(item)) : inTransaction(item))
  const slow = serialByKey(lockedItems.keyOf, items => writeSingleStatement(singleStatement, items, true), options)
  const slowly = async (item: unknown, first: Deferred): Promise<unknown> => {
    const result = isLocked(first) ? await slow.write(item) : first
    return isDeferred(result) ? await inTransaction(item) : result
  }
  return item => {
    if (!singleStatement.fits(item)) return inTransaction(item)
    return slow.isOpen(item) ? slowly(item, LOCKED) : quickly(item, first => slowly(item, first))
  }
}

/** Items that the shared transaction deferred go into a transaction of their key, which waits. */
function waitingForLocks(
  shared: Write,
  { keyOf, transaction }: LockedItems,
  write: BatchWriters['write'],
  options: GroupCommitOptions,
): Write {
  const waiting = serialByKey(keyOf, items => write(transaction, items), options)
  return item => shared(item).then(result => (isDeferred(result) ? waiting.write(item) : result))
}

/** Keys written at the same time. The remaining connections of the process are reserved for non-blocking writes. */
const MAX_CONCURRENT_KEYS = 4

interface SerialByKey<I, O> {
  /** Whether another caller already waits with the key of this item. */
  isOpen(item: I): boolean
  write(item: I): Promise<O>
}

/** Callers whose items have the same key share a commit; a key that has to wait delays no other key. */
function serialByKey<I, O>(
  keyOf: (item: I) => string,
  run: (items: I[]) => Promise<O[]>,
  options: GroupCommitOptions,
): SerialByKey<I, O> {
  const queues = new Map<string, { commit: (item: I) => Promise<O>; users: number }>()
  const slots = new Semaphore(MAX_CONCURRENT_KEYS)
  const commitInSlot = (items: I[]): Promise<O[]> => slots.run(() => run(items))
  return {
    isOpen: item => queues.has(keyOf(item)),
    write: async item => {
      const key = keyOf(item)
      const queue = queues.get(key) ?? { commit: groupCommit(commitInSlot, { ...options, inFlight: 1 }), users: 0 }
      queues.set(key, queue)
      queue.users++
      try {
        return await queue.commit(item)
      } finally {
        if (--queue.users === 0) queues.delete(key)
      }
    },
  }
}
