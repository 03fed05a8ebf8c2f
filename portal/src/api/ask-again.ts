import type { QueryClient, QueryFilters } from '@tanstack/react-query'

/**
 * Asks again for what has changed. A first answer that is still under way may be older than the news, and asking while
 * it is awaited asks nothing: then it is asked for once more after it.
 */
export async function askAgain(queries: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const awaited = queries.isFetching({ ...filters, predicate: ({ state }) => state.data === undefined }) > 0
  await queries.invalidateQueries(filters)
  if (awaited) await queries.invalidateQueries(filters)
}
