/** Of what there is more of, an overview counts so many. */
export const COUNTED = 20_000

export interface PageRequest {
  limit: number
  /** The id of the last row before the page. */
  cursor: string | null
}

export interface Page<T> {
  data: T[]
  /** The id of the row that the next page begins behind. It may be one that whoever asks must not see. */
  nextCursor: string | null
}

/** A page from one row more than was asked for: the extra row says that there are more. */
export function toPage<R, T>(rows: R[], limit: number, idOf: (row: R) => string, map: (row: R) => T): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(map),
    nextCursor: rows.length > limit && last !== undefined ? idOf(last) : null,
  }
}
