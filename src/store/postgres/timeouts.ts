import type pg from 'pg'

/** Timeouts of one statement: at the server, and for its response. The server's is shorter. */
export interface Timeouts {
  statementMs: number
  responseMs: number
}

export const NORMAL: Timeouts = { statementMs: 5_000, responseMs: 6_000 }
/** For the first queries of a connection. */
export const CONNECTING: Timeouts = { statementMs: 3_000, responseMs: 3_000 }
/** For a probe. */
export const PROBING: Timeouts = { statementMs: 1_000, responseMs: 1_000 }
export const SLOW: Timeouts = { statementMs: 30_000, responseMs: 35_000 }
/** For migrations: no limit. */
export const MIGRATING: Timeouts = { statementMs: 0, responseMs: 0 }

/** A process that pauses inside a transaction keeps its locks at most this long, which is less than a lease. */
export const IDLE_IN_TRANSACTION_MS = 3_000

/**
 * The settings at the start of a transaction. A session keeps those that it was opened with; behind a pooler every
 * transaction has another session, so all of them are sent each time.
 */
export function settingsOf(timeouts: Timeouts, isPooled: boolean): string {
  if (!isPooled && timeouts === NORMAL) return ''
  const statement = `set local statement_timeout = ${timeouts.statementMs};`
  return isPooled
    ? `${statement} set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};`
    : statement
}

/** A query with its own timeout, which the driver supports and its types do not have. */
export const withTimeout = <C extends pg.QueryConfig>({ responseMs }: Timeouts, statement: C): C => ({
  ...statement,
  query_timeout: responseMs,
})
