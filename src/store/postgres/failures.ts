import { NewerSchema } from '../migrate.ts'
import { DataError, StoreUnavailable } from '../transaction.ts'

/** Data exceptions and broken constraints: the caller's data, not the server's state. */
const DATA_ERROR = /^2[23]/
const RETRYABLE = /^40/
/** EPIPE has five capitals, as SQLSTATE codes have; none of those begins with an E. */
const SYSTEM_ERROR = /^E[A-Z]+$/
/** The server has become a standby, or is read-only for another reason. */
const READ_ONLY = '25006'
/**
 * Codes of lost or refused connections (08), a full server (53), a shutdown or a cancelled statement (57), a disk error
 * (58), a transaction that was idle for too long (25P0), and unknown prepared statements (26000, 42P05).
 */
const ENDS_CONNECTION = /^(08|53|57|58|25006|25P0[34]|26000|42P05)/

/** The server of a new connection is read-only. */
export class ReadOnlyServer extends Error {
  override name = 'ReadOnlyServer'
  readonly code = READ_ONLY
}

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code

/** A deadlock or a serialization failure: the transaction may be repeated. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.test(codeOf(error) ?? '')

/** A new connection may reach the server that has taken over. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY

/** The connection cannot be used any more, not even for a rollback. */
export function endsConnection(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  if (code === undefined) return /terminated|closed|timeout|not queryable/i.test(message)
  const isState = /^[0-9A-Z]{5}$/.test(code) && !SYSTEM_ERROR.test(code)
  return !isState || ENDS_CONNECTION.test(code)
}

/** Maps an error of the driver to an error of the store. */
export function toFailure(error: unknown): unknown {
  if (error instanceof NewerSchema || error instanceof StoreUnavailable) return error
  const code = codeOf(error)
  if (code !== undefined && DATA_ERROR.test(code)) return new DataError((error as Error).message)
  if (code === undefined && !endsConnection(error)) return error
  return new StoreUnavailable((error as Error).message)
}
