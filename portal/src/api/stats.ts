import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

export type Range = '24h' | '7d' | '30d'

interface Counts {
  accepted: number
  sent: number
  failed: number
  received: number
  delivered: number
  delivery_failed: number
  latency_p50_ms: number | null
  latency_p95_ms: number | null
}

export interface Bucket extends Counts {
  at: string
}

export interface Stats {
  buckets: Bucket[]
  totals: Counts
  dead_letters: number
  numbers: { connected: number; total: number }
}

export const statsQuery = (range: Range) =>
  queryOptions({
    queryKey: ['stats', range],
    queryFn: () => call<Stats>('GET', `/v1/stats?range=${range}`),
    refetchInterval: 30_000,
  })
