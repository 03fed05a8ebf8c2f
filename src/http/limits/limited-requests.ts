import type { PackedRequest } from '../../domain/api-log.ts'

const TOO_MANY = 429
/** Log entries for each account and code between two writes of the log. */
const KEPT = 10

/**
 * Requests that were rejected with 429. No limit slows them down, so the log keeps a few of them with a count of the rest:
 * a client that repeats its request without end would otherwise push everything else out of the log.
 */
export class LimitedRequests {
  #seen = new Map<string, number>()
  readonly #omitted = new Map<string, number>()

  /** Whether the log keeps this request; those that it does not keep are counted. */
  keeps(accountId: string, status: number, code: string | null): boolean {
    if (status !== TOO_MANY) return true
    const name = nameOf(accountId, code)
    const seen = (this.#seen.get(name) ?? 0) + 1
    this.#seen.set(name, seen)
    if (seen <= KEPT) return true
    this.#omitted.set(name, (this.#omitted.get(name) ?? 0) + 1)
    return false
  }

  /** Starts the next interval, in which a few are kept again. */
  nextInterval(): void {
    this.#seen = new Map()
  }

  /**
   * The same requests, with the number of omitted ones in the last entry of each code. Call `wereWritten` once they are
   * stored: it resets the counts that were written, and no others.
   */
  withCounts(
    accountId: string,
    requests: readonly PackedRequest[],
  ): { entries: PackedRequest[]; wereWritten: () => void } {
    const lasts = new Map<string, number>()
    requests.forEach(([, , , , status, , , , code], place) => {
      if (status === TOO_MANY) lasts.set(nameOf(accountId, code), place)
    })
    const entries = [...requests]
    const counts = [...lasts].map(([name, place]) => ({ name, place, omitted: this.#omitted.get(name) ?? 0 }))
    for (const { place, omitted } of counts) if (omitted > 0) entries[place] = withRest(entries[place]!, omitted)
    return { entries, wereWritten: () => counts.forEach(({ name, omitted }) => this.#forget(name, omitted)) }
  }

  #forget(name: string, written: number): void {
    const rest = (this.#omitted.get(name) ?? 0) - written
    if (rest > 0) this.#omitted.set(name, rest)
    else this.#omitted.delete(name)
  }
}

const nameOf = (accountId: string, code: string | null): string => `${accountId} ${code ?? ''}`

function withRest(request: PackedRequest, omitted: number): PackedRequest {
  const copy: PackedRequest = [...request]
  copy[9] = `${request[9] ?? ''} (${omitted} more were refused so within a second or two)`.trimStart()
  return copy
}
