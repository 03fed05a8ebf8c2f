import { NewerSchema } from '../migrate.ts'
import { DataError, StoreUnavailable } from '../tx.ts'

/** Data exceptions and broken constraints: the caller's data, not the server's state. */
const DATA_ERROR = /^2[23]/
const RETRYABLE = /^40/
/** EPIPE has five capitals, as SQLSTATE codes have; none of those begins with an E. */
const SYSTEM_ERROR = /^E[A-Z]+$/

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code

/** Two units have met: the one that lost may begin anew. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.test(codeOf(error) ?? '')

export function isConnectionError(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  return (
    (code !== undefined && (!/^[0-9A-Z]{5}$/.test(code) || SYSTEM_ERROR.test(code))) ||
    (code !== undefined && /^(08|57|53)/.test(code)) ||
    /terminated|closed|timeout|not queryable/i.test(message)
  )
}

/** What a unit's failure is called outside of this folder. */
export function toFailure(error: unknown): unknown {
  if (error instanceof NewerSchema) return error
  const code = codeOf(error)
  if (code !== undefined && DATA_ERROR.test(code)) return new DataError((error as Error).message)
  if (code === undefined && !isConnectionError(error)) return error
  return new StoreUnavailable((error as Error).message)
}
