import type { Clock } from '../runtime/clock.ts'
import type { Store } from '../store/store.ts'

/** Between two numbers everything else goes on. */
const PAUSE_MS = 5

interface SweepDeps {
  store: { retention: Pick<Store['retention'], 'readExpiredRows' | 'dropExpiredRows'> }
  clock: Clock
}

/** Drops what received messages left of each number of this host, or of nobody, and is past its time, or more than may be kept. */
export async function cleanUpSessions({ store, clock }: SweepDeps, owner: string, signal: AbortSignal): Promise<void> {
  let afterSessionId = ''
  while (!signal.aborted) {
    const { outlived, next } = await store.retention.readExpiredRows({ afterSessionId, owner })
    for (const each of outlived) while (!signal.aborted && (await store.retention.dropExpiredRows(each)));
    if (next === null) return
    await clock.sleep(PAUSE_MS, signal)
    afterSessionId = next
  }
}
