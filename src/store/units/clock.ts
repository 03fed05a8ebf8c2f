import type { Reader } from '../tx.ts'

/** The database's clock inside a statement, in Unix milliseconds. */
export const nowSql = (reader: Pick<Reader, 'dialect'>): string =>
  reader.dialect === 'postgres'
    ? '(extract(epoch from clock_timestamp()) * 1000)::bigint'
    : "cast(unixepoch('subsec') * 1000 as integer)"
