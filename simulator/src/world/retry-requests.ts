/** What a device has asked for again, and how it named itself. */
export interface RetryRequest {
  readonly count: number
  /** The name that the answer has to go to. */
  readonly asker: string
}

const MOST = 10_000
const MAX_RETRIES = 5

/** Messages that devices have asked for again, by device and id. */
export class RetryRequests {
  readonly #counts = new Map<string, number>()
  readonly #open = new Map<string, RetryRequest>()

  /** How often it has been asked for with this request; none where that was often enough. */
  begin(device: string, id: string): number | undefined {
    const key = `${device}/${id}`
    const count = (this.#counts.get(key) ?? 0) + 1
    if (count > MAX_RETRIES) return undefined
    this.#counts.set(key, count)
    if (this.#counts.size > MOST) this.#counts.delete(this.#counts.keys().next().value!)
    return count
  }

  expect(device: string, id: string, request: RetryRequest): void {
    this.#open.set(`${device}/${id}`, request)
    if (this.#open.size > MOST) this.#open.delete(this.#open.keys().next().value!)
  }

  /** The request that an answer is about; it is answered once. */
  find(device: string, id: string): RetryRequest | undefined {
    return this.#open.get(`${device}/${id}`)
  }

  answered(device: string, id: string): void {
    this.#open.delete(`${device}/${id}`)
  }
}
