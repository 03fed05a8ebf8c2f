import type { Clock } from './clock.ts'
import type { Store } from './store/store.ts'

/** Between two slices others have their turn. */
const PAUSE_MS = 5

interface SweepParts {
  store: { nodes: Pick<Store['nodes'], 'foldUsage' | 'dropExpired' | 'dropMessages' | 'dropMeters'> }
  clock: Clock
}

/**
 * Adds up usage and drops what is past its time, a slice at a time until there is no more. Any process may, and of several
 * one does it for all.
 */
export async function sweepHouse({ store: { nodes }, clock }: SweepParts, signal: AbortSignal): Promise<void> {
  const untilShort = async (slice: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted && (await slice())) await clock.sleep(PAUSE_MS, signal)
  }
  const toTheEnd = async (slice: (afterId: string) => Promise<string | null>): Promise<void> => {
    let afterId: string | null = ''
    await untilShort(async () => (afterId = await slice(afterId!)) !== null)
  }
  await untilShort(() => nodes.foldUsage())
  await untilShort(() => nodes.dropExpired())
  await toTheEnd(afterId => nodes.dropMessages({ afterId }))
  await toTheEnd(afterId => nodes.dropMeters({ afterId }))
}
