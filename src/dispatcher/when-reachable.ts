import type { Context } from '../context.ts'
import { StoreUnavailable } from '../store/tx.ts'

const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2_000

interface Parts extends Pick<Context, 'clock'> {
  signal: AbortSignal
}

/** Waits for a database that is away, as long as there is sense in it: no endpoint is to pay for it. */
export async function whenReachable<T>(
  { clock, signal }: Parts,
  work: () => Promise<T>,
  makesSense: () => boolean = () => true,
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || signal.aborted || !makesSense()) throw error
    }
    await clock.sleep(waitMs, signal)
  }
}
