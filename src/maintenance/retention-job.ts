import type { Clock } from '../runtime/clock.ts'
import type { Store } from '../store/store.ts'

/** Other transactions run between two batches. */
const PAUSE_MS = 5

interface RetentionDeps {
  store: Pick<Store, 'movedNumbers' | 'retention' | 'usage'>
  clock: Clock
}

/** Adds up usage and deletes expired rows, batch by batch. Every process runs it; a job lock lets one through at a time. */
export async function runRetention(
  { store: { movedNumbers, retention, usage }, clock }: RetentionDeps,
  signal: AbortSignal,
): Promise<void> {
  const untilDone = async (batch: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted && (await batch())) await clock.sleep(PAUSE_MS, signal)
  }
  const toTheEnd = async (batch: (afterId: string) => Promise<string | null>): Promise<void> => {
    let afterId: string | null = ''
    await untilDone(async () => (afterId = await batch(afterId!)) !== null)
  }
  await untilDone(() => usage.foldUsage())
  await untilDone(() => retention.dropExpired())
  await untilDone(() => movedNumbers.dropAbandonedImport())
  await toTheEnd(afterId => retention.dropMessages({ afterId }))
  await toTheEnd(afterId => retention.dropMeters({ afterId }))
}
