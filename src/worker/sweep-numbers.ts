import { setTimeout as wait } from 'node:timers/promises'
import type { Store } from '../store/store.ts'

/** Between two numbers everything else has its turn. */
const PAUSE_MS = 5

/** Drops what received messages left of each number of this host, or of nobody, and is past its time, or more than may be kept. */
export async function sweepNumbers(
  hosting: Pick<Store['hosting'], 'readOutlived' | 'dropOutlived'>,
  owner: string,
  isStopping: () => boolean,
): Promise<void> {
  let after: string | null = ''
  while (after !== null && !isStopping()) {
    const { outlived, next }: Awaited<ReturnType<Store['hosting']['readOutlived']>> = await hosting.readOutlived({
      afterSessionId: after,
      owner,
    })
    for (const each of outlived) while (!isStopping() && (await hosting.dropOutlived(each)));
    await wait(PAUSE_MS)
    after = next
  }
}
