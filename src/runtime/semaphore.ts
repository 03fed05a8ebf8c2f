/** Limits how many run at the same time; the others wait in order. */
export class Semaphore {
  readonly #waiting: Array<() => void> = []
  #limit: number
  #free: number

  constructor(limit: number) {
    this.#limit = limit
    this.#free = limit
  }

  get limit(): number {
    return this.#limit
  }

  /** Changes the limit; running work continues. */
  resize(limit: number): void {
    this.#free += limit - this.#limit
    this.#limit = limit
    this.#admit()
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs the work when there is room; rejects if the signal aborts before that. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#waitForRoom(signal)
    try {
      return await work()
    } finally {
      this.#free++
      this.#admit()
    }
  }

  #admit(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#free--
      next()
    }
  }

  #next(): (() => void) | undefined {
    return this.#free > 0 ? this.#waiting.shift() : undefined
  }

  async #waitForRoom(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1)
        reject(signal!.reason)
      }
      const go = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      this.#waiting.push(go)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }
}
