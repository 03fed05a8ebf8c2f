import { invalid } from '../../domain/errors.ts'

export interface PageRequest {
  limit: number
  cursor: string | null
}

export interface Page<T> {
  data: T[]
  nextCursor: string | null
}

/** A page from one row more than was asked for: the extra row says that there are more. */
export function toPage<R, T>(rows: R[], limit: number, idOf: (row: R) => string, map: (row: R) => T): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(map),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(idOf(last)) : null,
  }
}

export const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url')

export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (!/^[\x21-\x7e]{1,200}$/.test(id) || encodeCursor(id) !== cursor) {
    throw invalid('cursor must be a next_cursor that a list answered')
  }
  return id
}
