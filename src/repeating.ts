import type { Context } from './context.ts'

const SOON_MS = 500

/** Work that is done again and again until the end; it may be asked for sooner. A failure is logged and tried again. */
export class Repeating {
  readonly #parts: Pick<Context, 'clock' | 'log'>
  readonly #name: string
  readonly #work: () => Promise<number>
  readonly #afterFailureMs: number
  #sooner = new AbortController()

  /** `work` answers how many milliseconds to wait before it is done again. */
  constructor(
    parts: Pick<Context, 'clock' | 'log'>,
    name: string,
    work: () => Promise<number>,
    afterFailureMs = SOON_MS,
  ) {
    this.#parts = parts
    this.#name = name
    this.#work = work
    this.#afterFailureMs = afterFailureMs
  }

  /** Ends the wait; asked for while the work is under way, it is done once more right after. */
  soon(): void {
    this.#sooner.abort()
  }

  /** Begins at once, or after the time given. */
  async run(signal: AbortSignal, firstAfterMs = 0): Promise<void> {
    const { clock } = this.#parts
    const end = (): void => this.soon()
    signal.addEventListener('abort', end, { once: true })
    if (firstAfterMs > 0 && !signal.aborted) await clock.sleep(firstAfterMs, this.#sooner.signal)
    while (!signal.aborted) {
      this.#sooner = new AbortController()
      const waitMs = await this.#once(signal)
      if (!signal.aborted) await clock.sleep(waitMs, this.#sooner.signal)
    }
    signal.removeEventListener('abort', end)
  }

  async #once(signal: AbortSignal): Promise<number> {
    try {
      return await this.#work()
    } catch (error) {
      if (!signal.aborted) this.#parts.log.warn({ err: error }, `${this.#name}.failed`)
      return this.#afterFailureMs
    }
  }
}
