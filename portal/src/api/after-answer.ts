import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** Runs `then` when the answer that is under way has come; where none is, never. */
export function afterAnswer(queries: QueryClient, queryKey: QueryKey, then: () => void): void {
  const cache = queries.getQueryCache()
  const query = cache.find({ queryKey, exact: true })
  if (query === undefined || query.state.fetchStatus === 'idle') return
  const stop = cache.subscribe(event => {
    if (event.query !== query || (event.type !== 'removed' && query.state.fetchStatus !== 'idle')) return
    stop()
    if (event.type !== 'removed') then()
  })
}

/**
 * Changes what is known by news of it. An answer that is under way may be older than the news, and takes the place of
 * what is known: it is changed again then.
 */
export function changeKnown<T>(queries: QueryClient, queryKey: QueryKey, change: (known: T) => T): void {
  const apply = () => queries.setQueryData<T>(queryKey, known => known && change(known))
  apply()
  afterAnswer(queries, queryKey, apply)
}
