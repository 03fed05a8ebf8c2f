import { setTimeout as wait } from 'node:timers/promises'
import type { Store } from '../store/store.ts'

/** Between two numbers everything else has its turn. */
const PAUSE_MS = 5

/** Drops what received messages left of each number of this host, or of nobody, and is past its time, or more than may be kept. */
export async function sweepNumbers(
  store: Pick<Store, 'readOutlived' | 'dropOutlived'>,
  owner: string,
  isStopping: () => boolean,
): Promise<void> {
  let after: string | null = ''
  while (after !== null && !isStopping()) {
    const { outlived, next }: Awaited<ReturnType<Store['readOutlived']>> = await store.readOutlived({
      afterSessionId: after,
      owner,
    })
    for (const each of outlived) while (!isStopping() && (await store.dropOutlived(each)));
    await wait(PAUSE_MS)
    after = next
  }
}
