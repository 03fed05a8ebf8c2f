/** Runs up to `limit` tasks at a time, in the order in which they came. */
export class Semaphore {
  readonly #waiting: Array<() => void> = []
  #free: number

  constructor(limit: number) {
    this.#free = limit
  }

  /** Rejects if the signal aborts before the task starts. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#slot(signal)
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }

  async #slot(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(signal.reason as Error)
      }
      const enter = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      this.#waiting.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}
