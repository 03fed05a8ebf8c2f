import { StoreUnavailable } from '../store/tx.ts'
import type { HostParts } from './parts.ts'
import { LeaseLost, type Tenure } from './tenure.ts'

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000

/** Writes until the database has it, however long that is away, or until the session is ours no more. */
export async function persist<T>(
  parts: Pick<HostParts, 'clock' | 'log'>,
  tenure: Tenure,
  write: () => Promise<T>,
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    tenure.require()
    try {
      const result = await write()
      if (isLost(result)) throw lost(tenure)
      return result
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      parts.log.warn({ session: tenure.sessionId, err: error }, 'the store is away')
      await parts.clock.sleep(waitMs)
    }
  }
}

const isLost = (result: unknown): boolean =>
  result === 'lost' || (typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'lost')

function lost(tenure: Tenure): LeaseLost {
  tenure.end()
  return new LeaseLost()
}
