import type pg from 'pg'

/** How long one statement may take: at the server, and until its answer is here. The server gives up first. */
export interface Pace {
  statementMs: number
  answerMs: number
}

export const HOT: Pace = { statementMs: 5_000, answerMs: 6_000 }
/** The first answers of a connection. */
export const CONNECTING: Pace = { statementMs: 3_000, answerMs: 3_000 }
/** Whether it answers at all. */
export const ASKING: Pace = { statementMs: 1_000, answerMs: 1_000 }
export const SLOW: Pace = { statementMs: 30_000, answerMs: 35_000 }
/** For the changes of a migration: as long as they need. */
export const UNHURRIED: Pace = { statementMs: 0, answerMs: 0 }

/** A process that was paused inside a unit holds its locks no longer than this: less than a lease lasts. */
export const IDLE_IN_UNIT_MS = 3_000

/**
 * What a unit sets as it begins. A session keeps what it was opened with; behind a pooler it is another one for each
 * unit, so that all of it is said each time.
 */
export function settingsOf(pace: Pace, isPooled: boolean): string {
  if (!isPooled && pace === HOT) return ''
  const statement = `set local statement_timeout = ${pace.statementMs};`
  return isPooled ? `${statement} set local idle_in_transaction_session_timeout = ${IDLE_IN_UNIT_MS};` : statement
}

/** A statement whose answer is waited for as long as it may take. The driver's types do not know that it may differ. */
export const withinPace = <C extends pg.QueryConfig>({ answerMs }: Pace, statement: C): C => ({
  ...statement,
  query_timeout: answerMs,
})
