import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'

/** Between two numbers everything else goes on. */
const PAUSE_MS = 5

interface SweepParts {
  store: { hosting: Pick<Store['hosting'], 'readOutlived' | 'dropOutlived'> }
  clock: Clock
}

/** Drops what received messages left of each number of this host, or of nobody, and is past its time, or more than may be kept. */
export async function sweepNumbers({ store, clock }: SweepParts, owner: string, signal: AbortSignal): Promise<void> {
  let afterSessionId = ''
  while (!signal.aborted) {
    const { outlived, next } = await store.hosting.readOutlived({ afterSessionId, owner })
    for (const each of outlived) while (!signal.aborted && (await store.hosting.dropOutlived(each)));
    if (next === null) return
    await clock.sleep(PAUSE_MS, signal)
    afterSessionId = next
  }
}
