import { type Deferred, LOCKED } from './deferred.ts'
import { groupCommit, type GroupCommitOptions } from './group-commit.ts'
import { serialByKey } from './serial-by-key.ts'
import type { SingleStatement } from './single-statement.ts'

const isDeferred = (result: unknown): result is Deferred => (result as Deferred | null)?.kind === 'deferred'
const isLocked = (result: unknown): boolean => isDeferred(result) && result.because === 'locked'

/** How the items that a batch deferred as locked are written: those with the same key in one transaction, which waits. */
export interface LockedItems<Item = unknown> {
  keyOf(item: Item): string
  /** The name of the waiting transaction, in the same repository. */
  transaction: string
}

export interface BatchWays {
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
 * Callers pass one item each, and concurrent calls share a commit. An item goes first into a single statement, where
 * the database has one, then into the transaction, then into the transaction that waits for locks.
 */
export function batch(name: string, ways: BatchWays, options: GroupCommitOptions): Write {
  const { write, writeSingleStatement, singleStatement, lockedItems } = ways
  const shared = groupCommit((items: unknown[]) => write(name, items), options)
  if (lockedItems === undefined) return shared
  const waiting = serialByKey(lockedItems.keyOf, items => write(lockedItems.transaction, items), options)
  const inTransaction: Write = async item => {
    const result = await shared(item)
    return isDeferred(result) ? await waiting.write(item) : result
  }
  if (writeSingleStatement === undefined || singleStatement === undefined) return inTransaction

  const quick = groupCommit((items: unknown[]) => writeSingleStatement(singleStatement, items, false), options)
  const slow = serialByKey(lockedItems.keyOf, items => writeSingleStatement(singleStatement, items, true), options)
  return async item => {
    if (!singleStatement.fits(item)) return await inTransaction(item)
    const first = slow.isOpen(item) ? LOCKED : await quick(item)
    const result = isLocked(first) ? await slow.write(item) : first
    return isDeferred(result) ? await inTransaction(item) : result
  }
}
