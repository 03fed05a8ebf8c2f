import { foreignSession } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { SessionChange } from '../store/sessions/sessions.ts'

/** Changes the settings that are given; the store checks the owner in the same transaction. */
export async function changeSession(
  { store }: { store: Pick<Store, 'sessions'> },
  change: SessionChange,
): Promise<void> {
  if ((await store.sessions.updateSession(change)) === 'foreign') throw foreignSession()
}
