import type { DatabaseClock } from '../runtime/database-clock.ts'
import { attachSqliteStore } from './sqlite/sqlite-store.ts'
import type { Store, StoreHandle } from './store.ts'

/** Connections of a thread: a commit, the batch behind it, and reads. */
const THREAD_POOL = 6

/** Opens the store from another thread than the one that opened it first. */
export async function openAttached(handle: StoreHandle, clock?: DatabaseClock): Promise<Store> {
  if (handle.kind === 'sqlite') return attachSqliteStore(handle)
  const { openPostgresStore } = await import('./postgres/postgres-store.ts')
  const store = await openPostgresStore({ ...handle, poolSize: THREAD_POOL, isMigrated: true, ...(clock && { clock }) })
  // No time is compared before the database's clock is known.
  await store.now()
  return store
}
