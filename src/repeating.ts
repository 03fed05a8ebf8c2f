import type { Context } from './context.ts'

const AFTER_FAILURE_MS = 500

/** Work that is done again and again until the end; it may be asked for sooner. A failure is logged and tried again. */
export class Repeating {
  readonly #parts: Pick<Context, 'clock' | 'log'>
  readonly #name: string
  readonly #work: () => Promise<number>
  #sooner = new AbortController()

  /** `work` answers how many milliseconds to wait before it is done again. */
  constructor(parts: Pick<Context, 'clock' | 'log'>, name: string, work: () => Promise<number>) {
    this.#parts = parts
    this.#name = name
    this.#work = work
  }

  /** Ends the wait; asked for while the work is under way, it is done once more right after. */
  soon(): void {
    this.#sooner.abort()
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts
    const end = (): void => this.soon()
    signal.addEventListener('abort', end, { once: true })
    while (!signal.aborted) {
      this.#sooner = new AbortController()
      const waitMs = await this.#work().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, `${this.#name}.failed`)
        return AFTER_FAILURE_MS
      })
      if (!signal.aborted) await clock.sleep(waitMs, this.#sooner.signal)
    }
    signal.removeEventListener('abort', end)
  }
}
