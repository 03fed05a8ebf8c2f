import type { Tx } from '../transaction.ts'

/** What any node may do, and one at a time does for all. */
const CHORES = { fold_usage: 1, drop_expired: 2, drop_messages: 3, drop_meters: 4, sweep_hosting: 5 }

/** Keeps these locks apart from what else may be locked by number in the database. */
const CLASS = 7_063_520

/**
 * Whether nobody else is at it: whoever is does it for us, and waiting would be in vain. Until the unit ends; where one
 * writer has the whole database, always.
 */
export async function tryJobLock(tx: Tx, chore: keyof typeof CHORES): Promise<boolean> {
  if (tx.dialect === 'sqlite') return true
  const row = await tx.get<{ mine: boolean }>(
    'select pg_try_advisory_xact_lock(?::int, ?::int) as mine',
    CLASS,
    CHORES[chore],
  )
  return row!.mine
}
