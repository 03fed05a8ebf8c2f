import { whenReachable } from '../store/when-reachable.ts'
import type { HostParts } from './parts.ts'
import { LeaseLost, type Tenure } from './tenure.ts'

/** Writes until the database has it, however long that is away, or until the session is ours no more. */
export async function persist<T>(
  parts: Pick<HostParts, 'clock' | 'log'>,
  tenure: Tenure,
  write: () => Promise<T>,
): Promise<T> {
  const writeIfOurs = async (): Promise<T> => {
    tenure.require()
    const result = await write()
    if (isLost(result)) throw lost(tenure)
    return result
  }
  const onAway = (error: unknown) => parts.log.warn({ session: tenure.sessionId, err: error }, 'the store is away')
  return await whenReachable(parts.clock, writeIfOurs, { onAway })
}

const isLost = (result: unknown): boolean =>
  result === 'lost' || (typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'lost')

function lost(tenure: Tenure): LeaseLost {
  tenure.end()
  return new LeaseLost()
}
