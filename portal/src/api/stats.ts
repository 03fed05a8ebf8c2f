import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'
import type { Range } from './records.ts'

export const statsQuery = (range: Range) =>
  queryOptions({
    queryKey: ['stats', range],
    queryFn: () => take(api.GET('/v1/stats', { params: { query: { range } } })),
    refetchInterval: 30_000,
  })
