export const RANGES = ['1h', '6h', '24h', '7d', '30d'] as const
export type Range = (typeof RANGES)[number]

const HOUR_MS = 3_600_000
const SHAPES: Record<Range, { bucketMs: number; count: number }> = {
  '1h': { bucketMs: HOUR_MS, count: 2 },
  '6h': { bucketMs: HOUR_MS, count: 6 },
  '24h': { bucketMs: HOUR_MS, count: 24 },
  '7d': { bucketMs: 6 * HOUR_MS, count: 28 },
  '30d': { bucketMs: 24 * HOUR_MS, count: 30 },
}

const COUNTED = ['accepted', 'sent', 'failed', 'received', 'deliveries', 'delivery_failed'] as const

export interface Counts {
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
  atMs: number
}

export interface Measured {
  hours: Array<{ hour: number; metric: string; n: number }>
  attempts: Array<{ atMs: number; latencyMs: number }>
}

export const bucketMsOf = (range: Range): number => SHAPES[range].bucketMs

/** The start times of a range's buckets; the last bucket is the present one. */
export function bucketsOf(range: Range, nowMs: number): number[] {
  const { bucketMs, count } = SHAPES[range]
  const last = Math.floor(nowMs / bucketMs) * bucketMs
  return Array.from({ length: count }, (_, i) => last - (count - 1 - i) * bucketMs)
}

/** Counts and latencies by bucket, and over the whole range. */
export function summarize(range: Range, nowMs: number, measured: Measured): { buckets: Bucket[]; totals: Counts } {
  const { bucketMs } = SHAPES[range]
  const indexOf = (atMs: number) => Math.floor(atMs / bucketMs) * bucketMs
  const buckets = bucketsOf(range, nowMs).map(atMs => ({
    atMs,
    ...count(
      measured.hours.filter(({ hour }) => indexOf(hour * HOUR_MS) === atMs),
      measured.attempts.filter(attempt => indexOf(attempt.atMs) === atMs),
    ),
  }))
  const fromMs = buckets[0]!.atMs
  const totals = count(
    measured.hours.filter(({ hour }) => hour * HOUR_MS >= fromMs),
    measured.attempts.filter(({ atMs }) => atMs >= fromMs),
  )
  return { buckets, totals }
}

function count(hours: Measured['hours'], attempts: Measured['attempts']): Counts {
  const sumOf = (wanted: string) => hours.reduce((sum, { metric, n }) => (metric === wanted ? sum + n : sum), 0)
  const sums = Object.fromEntries(COUNTED.map(metric => [metric, sumOf(metric)]))
  const { deliveries, ...rest } = sums as Record<(typeof COUNTED)[number], number>
  const latencies = attempts.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b)
  return {
    ...rest,
    delivered: deliveries,
    latency_p50_ms: quantile(latencies, 0.5),
    latency_p95_ms: quantile(latencies, 0.95),
  }
}

/** The smallest value that at least this share of all values does not exceed. */
export function quantile(sorted: number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}
