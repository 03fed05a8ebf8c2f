/** How many requests one endpoint may have in flight, by its responses so far. */
export interface Breaker {
  limit: number
  /** Failures since the last success. */
  failures: number
}

/** Requests in flight at an endpoint that responds. */
const ENDPOINT_LIMIT = 32
export const FIRST_LIMIT = 8
const FAILURES_TO_NARROW = 5

/** A new endpoint may not respond, so it starts below the limit. */
export const newBreaker = (): Breaker => ({ limit: FIRST_LIMIT, failures: 0 })

/** An endpoint that fails repeatedly is limited to one request in flight; each success after that doubles the limit. */
export function recordResult(breaker: Breaker, delivered: boolean): void {
  if (delivered) {
    breaker.failures = 0
    breaker.limit = Math.min(ENDPOINT_LIMIT, breaker.limit * 2)
    return
  }
  breaker.failures++
  if (isNarrowed(breaker)) breaker.limit = 1
}

export const isNarrowed = (breaker: Breaker): boolean => breaker.failures >= FAILURES_TO_NARROW
