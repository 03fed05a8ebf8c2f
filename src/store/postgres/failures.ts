import { NewerSchema } from '../migrate.ts'
import { DataError, StoreUnavailable } from '../transaction.ts'

/** Data exceptions and broken constraints: the caller's data, not the server's state. */
const DATA_ERROR = /^2[23]/
const RETRYABLE = /^40/
/** EPIPE has five capitals, as SQLSTATE codes have; none of those begins with an E. */
const SYSTEM_ERROR = /^E[A-Z]+$/
/** It has become a standby, or may only be read for another reason. */
const READ_ONLY = '25006'
/**
 * The connection is lost or refused (08), the server is full (53), stops or has given the statement up (57), cannot
 * reach its disk (58), has ended a unit that slept (25P0), or knows another set of prepared statements than this session has made (26000, 42P05).
 */
const ENDS_CONNECTION = /^(08|53|57|58|25006|25P0[34]|26000|42P05)/

/** A server that was just connected to, and only answers reads. */
export class ReadOnlyServer extends Error {
  override name = 'ReadOnlyServer'
  readonly code = READ_ONLY
}

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code

/** Two units have met: the one that lost may begin anew. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.test(codeOf(error) ?? '')

/** Another connection may lead to the server that has taken its place. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY

/** Nothing more is to be asked on this connection, not even to roll back. */
export function endsConnection(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  if (code === undefined) return /terminated|closed|timeout|not queryable/i.test(message)
  const isState = /^[0-9A-Z]{5}$/.test(code) && !SYSTEM_ERROR.test(code)
  return !isState || ENDS_CONNECTION.test(code)
}

/** What a unit's failure is called outside of this folder. */
export function toFailure(error: unknown): unknown {
  if (error instanceof NewerSchema || error instanceof StoreUnavailable) return error
  const code = codeOf(error)
  if (code !== undefined && DATA_ERROR.test(code)) return new DataError((error as Error).message)
  if (code === undefined && !endsConnection(error)) return error
  return new StoreUnavailable((error as Error).message)
}
