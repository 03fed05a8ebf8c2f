/** Overviews count up to this many rows. */
export const COUNTED = 20_000

export interface PageRequest {
  limit: number
  /** The id of the last row before the page. */
  cursor: string | null
}

export interface Page<T> {
  data: T[]
  /** The id that the next page starts after. The caller may not be allowed to see that row. */
  nextCursor: string | null
}

/** Makes a page from one row more than requested: the extra row shows that there are more. */
export function toPage<R, T>(rows: R[], limit: number, idOf: (row: R) => string, map: (row: R) => T): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(map),
    nextCursor: rows.length > limit && last !== undefined ? idOf(last) : null,
  }
}
