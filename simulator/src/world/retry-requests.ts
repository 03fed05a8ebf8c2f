/** A device's request for a message that it could not read. */
export interface RetryRequest {
  readonly count: number
  /** The JID that the response must address. */
  readonly requester: string
}

const MAX_ENTRIES = 10_000
const MAX_RETRIES = 5

/** Messages that devices have requested again, by device and id. */
export class RetryRequests {
  readonly #counts = new Map<string, number>()
  readonly #open = new Map<string, RetryRequest>()

  /** The number of this request for the message; `undefined` above the limit. */
  begin(device: string, id: string): number | undefined {
    const key = `${device}/${id}`
    const count = (this.#counts.get(key) ?? 0) + 1
    if (count > MAX_RETRIES) return undefined
    this.#counts.set(key, count)
    if (this.#counts.size > MAX_ENTRIES) this.#counts.delete(this.#counts.keys().next().value!)
    return count
  }

  expect(device: string, id: string, request: RetryRequest): void {
    this.#open.set(`${device}/${id}`, request)
    if (this.#open.size > MAX_ENTRIES) this.#open.delete(this.#open.keys().next().value!)
  }

  /** The open request that a response belongs to. */
  find(device: string, id: string): RetryRequest | undefined {
    return this.#open.get(`${device}/${id}`)
  }

  answered(device: string, id: string): void {
    this.#open.delete(`${device}/${id}`)
  }
}
