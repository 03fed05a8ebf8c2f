import type { PackedRequest } from '../domain/api-log.ts'

const TOO_MANY = 429
/** Of one account, between one write of the log and the next. */
const KEPT = 10

/**
 * Requests that were refused because there are too many. No limit holds them back, so in the log a few stand for all:
 * whoever asks without end would push everything else out of it.
 */
export class LimitedRequests {
  #seen = new Map<string, number>()

  /** Whether the log has this one; those that it has not are counted. */
  isKept(accountId: string, status: number): boolean {
    if (status !== TOO_MANY) return true
    const seen = (this.#seen.get(accountId) ?? 0) + 1
    this.#seen.set(accountId, seen)
    return seen <= KEPT
  }

  /** How many were left out since the last time, by account. */
  takeLeftOut(): ReadonlyMap<string, number> {
    const seen = this.#seen
    this.#seen = new Map()
    return new Map([...seen].map(([accountId, n]) => [accountId, Math.max(0, n - KEPT)]))
  }
}

/** The last of those that stand for all says how many it stands for. */
export function sayingLeftOut(requests: readonly PackedRequest[], leftOut: number): PackedRequest[] {
  const last = leftOut === 0 ? -1 : requests.findLastIndex(([, , , , status]) => status === TOO_MANY)
  return requests.map((request, place) => (place === last ? withRest(request, leftOut) : request))
}

function withRest(request: PackedRequest, leftOut: number): PackedRequest {
  const copy: PackedRequest = [...request]
  copy[9] = `${request[9] ?? ''} (${leftOut} more were refused so within a second or two)`.trimStart()
  return copy
}
