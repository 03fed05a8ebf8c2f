import type { DatabaseClock } from '../runtime/database-clock.ts'
import { attachSqliteStore } from './sqlite/sqlite-store.ts'
import type { Store, StoreHandle } from './store.ts'

/** Connections that a thread needs: a commit, one gathering behind it, and reads meanwhile. */
const THREAD_POOL = 6

/** The store from another thread than the one that opened it. */
export async function openAttached(handle: StoreHandle, clock?: DatabaseClock): Promise<Store> {
  if (handle.kind === 'sqlite') return attachSqliteStore(handle)
  const { openPostgresStore } = await import('./postgres/postgres-store.ts')
  const store = await openPostgresStore({ ...handle, poolSize: THREAD_POOL, isMigrated: true, ...(clock && { clock }) })
  // Nothing is compared before the database has said what time it is.
  await store.now()
  return store
}
