import type { Context } from '../context.ts'
import type { Store } from '../store/store.ts'
import type { AttemptResult, Recorded } from '../store/deliveries/attempt-result.ts'
import { DataError } from '../store/transaction.ts'

const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2_000

/**
 * Makes a result durable, however long the database is away: a result that was lost would be a second request.
 * Gives up only when the signal says so; whoever owns the shard then begins anew.
 */
export async function record(
  { store, log, clock }: Pick<Context, 'log' | 'clock'> & { store: Pick<Store, 'deliveries'> },
  result: AttemptResult,
  signal: AbortSignal,
): Promise<Recorded> {
  let waitMs = FIRST_WAIT_MS
  let attempt = result
  while (!signal.aborted) {
    try {
      return await store.deliveries.recordAttempt(attempt)
    } catch (error) {
      log.warn({ err: error, delivery_id: result.deliveryId }, 'delivery.unrecorded')
      // What a receiver answered must never keep a result from being written.
      if (error instanceof DataError) attempt = { ...attempt, attempts: '[]' }
      await clock.sleep(waitMs, signal)
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
    }
  }
  return { kind: 'stale' }
}
