/** A token bucket: `tokens` as they were at `at`. */
export interface Bucket {
  tokens: number
  at: number
}

export interface Rate {
  perSecond: number
  burst: number
}

/** A burst that is not given is one second's worth; below one token nothing would ever pass. */
export const rateOf = (perSecond: number, burst: number | null): Rate => ({
  perSecond,
  burst: Math.max(1, burst ?? perSecond),
})

export type Taken = { ok: true; bucket: Bucket } | { ok: false; bucket: Bucket; retryAfterMs: number }

/** Takes one token, or returns how long to wait for one. A clock that is set back adds nothing, and continues from there. */
export function take(bucket: Bucket | undefined, rate: Rate, now: number): Taken {
  const filled = refill(bucket, rate, now)
  if (filled.tokens >= 1) return { ok: true, bucket: { tokens: filled.tokens - 1, at: filled.at } }
  const missing = 1 - filled.tokens
  return { ok: false, bucket: filled, retryAfterMs: Math.ceil((missing / rate.perSecond) * 1000) }
}

/** The bucket as it is now, refilled. */
export function refill(bucket: Bucket | undefined, rate: Rate, now: number): Bucket {
  if (bucket === undefined) return { tokens: rate.burst, at: now }
  if (now <= bucket.at) return { tokens: Math.min(bucket.tokens, rate.burst), at: now }
  const tokens = Math.min(rate.burst, bucket.tokens + ((now - bucket.at) / 1000) * rate.perSecond)
  return { tokens, at: now }
}

/** `2026-11`, the month that a monthly quota counts in. */
export const monthOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 7)
export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10)

export function msToNextMonth(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - nowMs
}
