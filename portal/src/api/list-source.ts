import { type Pages, rowsOf } from './paging.ts'

interface Read<T> {
  data: T | undefined
  error: unknown
  refetch: () => unknown
}

interface ReadOn<T> extends Read<Pages<T>> {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => unknown
}

/** A list that is read to its end at once. */
export const wholeList = <T>({ data, error, refetch }: Read<T[]>) => ({ rows: data, error, retry: refetch })

/** A list that is read page by page. If a page fails, the rows read before stay. */
export const pagedList = <T>(query: ReadOn<T>) => ({
  rows: query.data && rowsOf(query.data),
  error: query.isFetchNextPageError ? null : query.error,
  retry: query.refetch,
  more: query,
})
