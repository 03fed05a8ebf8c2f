import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'

const waiting = new WeakMap<Query, Array<() => void>>()

/** Runs `then` after the pending response of a query has arrived, in the order of the calls. Without a pending one it never runs. */
export function afterResponse(queries: QueryClient, queryKey: QueryKey, then: () => void): void {
  const cache = queries.getQueryCache()
  const query = cache.find({ queryKey, exact: true })
  if (query === undefined || query.state.fetchStatus === 'idle') return
  const before = waiting.get(query)
  if (before !== undefined) return void before.push(then)
  const all = [then]
  waiting.set(query, all)
  const stop = cache.subscribe(event => {
    const isGone = event.type === 'removed'
    if (event.query !== query || (!isGone && query.state.fetchStatus !== 'idle')) return
    stop()
    waiting.delete(query)
    if (!isGone) for (const each of all) each()
  })
}
