import type { Store } from '../store/store.ts'

const NUMBERS_AT_ONCE = 20

/** Drops what received messages left of each number and is past its time, or more than may be kept. */
export async function sweepNumbers(
  store: Pick<Store, 'readOutlived' | 'dropOutlived'>,
  isStopping: () => boolean,
): Promise<void> {
  let after: string | null = ''
  while (after !== null && !isStopping()) {
    const { outlived, next }: Awaited<ReturnType<Store['readOutlived']>> = await store.readOutlived({
      afterSessionId: after,
      numbers: NUMBERS_AT_ONCE,
    })
    for (const each of outlived) while (!isStopping() && (await store.dropOutlived(each)));
    after = next
  }
}
