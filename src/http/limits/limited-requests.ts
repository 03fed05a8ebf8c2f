import type { PackedRequest } from '../../domain/api-log.ts'

const TOO_MANY = 429
/** Of one account and code, between one write of the log and the next. */
const KEPT = 10

/**
 * Requests that were refused because there are too many. No limit holds them back, so in the log a few stand for all:
 * whoever asks without end would push everything else out of it.
 */
export class LimitedRequests {
  #seen = new Map<string, number>()
  readonly #leftOut = new Map<string, number>()

  /** Whether the log has this one; those that it has not are counted. */
  isKept(accountId: string, status: number, code: string | null): boolean {
    if (status !== TOO_MANY) return true
    const name = nameOf(accountId, code)
    const seen = (this.#seen.get(name) ?? 0) + 1
    this.#seen.set(name, seen)
    if (seen <= KEPT) return true
    this.#leftOut.set(name, (this.#leftOut.get(name) ?? 0) + 1)
    return false
  }

  /** From here on a few are kept again. */
  nextRound(): void {
    this.#seen = new Map()
  }

  /**
   * The same requests; the last of those that stand for all of a code says for how many. Once that is written `wereSaid`
   * forgets these, and no others.
   */
  saying(accountId: string, requests: readonly PackedRequest[]): { said: PackedRequest[]; wereSaid: () => void } {
    const lasts = new Map<string, number>()
    requests.forEach(([, , , , status, , , , code], place) => {
      if (status === TOO_MANY) lasts.set(nameOf(accountId, code), place)
    })
    const said = [...requests]
    const counts = [...lasts].map(([name, place]) => ({ name, place, leftOut: this.#leftOut.get(name) ?? 0 }))
    for (const { place, leftOut } of counts) if (leftOut > 0) said[place] = withRest(said[place]!, leftOut)
    return { said, wereSaid: () => counts.forEach(({ name, leftOut }) => this.#forget(name, leftOut)) }
  }

  #forget(name: string, said: number): void {
    const rest = (this.#leftOut.get(name) ?? 0) - said
    if (rest > 0) this.#leftOut.set(name, rest)
    else this.#leftOut.delete(name)
  }
}

const nameOf = (accountId: string, code: string | null): string => `${accountId} ${code ?? ''}`

function withRest(request: PackedRequest, leftOut: number): PackedRequest {
  const copy: PackedRequest = [...request]
  copy[9] = `${request[9] ?? ''} (${leftOut} more were refused so within a second or two)`.trimStart()
  return copy
}
