import type { QueryClient, QueryFilters } from '@tanstack/react-query'

/**
 * Refetches a query that has changed. A first response that is still pending may be older than the change, and a refetch
 * during it does nothing: in that case the query is fetched once more after it.
 */
export async function refetchChanged(queries: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const awaited = queries.isFetching({ ...filters, predicate: ({ state }) => state.data === undefined }) > 0
  await queries.invalidateQueries(filters)
  if (awaited) await queries.invalidateQueries(filters)
}
