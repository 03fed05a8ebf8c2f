import type { Clock } from '../runtime/clock.ts'
import type { Store } from '../store/store.ts'

/** Other work runs between two numbers. */
const PAUSE_MS = 5

interface RetentionDeps {
  store: { retention: Pick<Store['retention'], 'readExpiredRows' | 'dropExpiredRows'> }
  clock: Clock
}

/** Deletes expired and surplus rows of received messages, for the numbers of this host and those that no host owns. */
export async function cleanUpSessions(
  { store, clock }: RetentionDeps,
  owner: string,
  signal: AbortSignal,
): Promise<void> {
  let afterSessionId = ''
  while (!signal.aborted) {
    const { expired, next } = await store.retention.readExpiredRows({ afterSessionId, owner })
    for (const each of expired) while (!signal.aborted && (await store.retention.dropExpiredRows(each)));
    if (next === null) return
    await clock.sleep(PAUSE_MS, signal)
    afterSessionId = next
  }
}
