import { decodeCursor, type Page, type PageRequest } from '../store/units/page.ts'

const DEFAULT_LIMIT = 50

export const pageOf = (query: { limit?: number; cursor?: string }): PageRequest => ({
  limit: query.limit ?? DEFAULT_LIMIT,
  cursor: query.cursor === undefined ? null : decodeCursor(query.cursor),
})

export const listAnswer = <T, U>(page: Page<T>, map: (item: T) => U): { data: U[]; next_cursor: string | null } => ({
  data: page.data.map(map),
  next_cursor: page.nextCursor,
})
