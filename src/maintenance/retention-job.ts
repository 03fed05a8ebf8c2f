import type { Clock } from '../runtime/clock.ts'
import type { Store } from '../store/store.ts'

/** Between two slices others have their turn. */
const PAUSE_MS = 5

interface SweepDeps {
  store: Pick<Store, 'retention' | 'usage'>
  clock: Clock
}

/**
 * Adds up usage and drops what is past its time, a slice at a time until there is no more. Any process may, and of several
 * one does it for all.
 */
export async function runRetention(
  { store: { retention, usage }, clock }: SweepDeps,
  signal: AbortSignal,
): Promise<void> {
  const untilShort = async (slice: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted && (await slice())) await clock.sleep(PAUSE_MS, signal)
  }
  const toTheEnd = async (slice: (afterId: string) => Promise<string | null>): Promise<void> => {
    let afterId: string | null = ''
    await untilShort(async () => (afterId = await slice(afterId!)) !== null)
  }
  await untilShort(() => usage.foldUsage())
  await untilShort(() => retention.dropExpired())
  await toTheEnd(afterId => retention.dropMessages({ afterId }))
  await toTheEnd(afterId => retention.dropMeters({ afterId }))
}
