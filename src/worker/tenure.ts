import { freshMs } from '../domain/holder.ts'
import type { HostParts } from './parts.ts'

/**
 * How long a host may act for what it holds: as long as it says that it lives, and for a while after it could say so
 * last, by a clock of its own. A database that is away ends nothing, unless it is away for longer than that.
 */
export class Tenure {
  readonly #parts: Pick<HostParts, 'clock' | 'config'>
  #beatenAtMs: number
  #isOver = false

  constructor(parts: Pick<HostParts, 'clock' | 'config'>, beatenAtMs: number) {
    this.#parts = parts
    this.#beatenAtMs = beatenAtMs
  }

  /** The database had it that this host lives, when it was asked then. One that is over stays over. */
  beaten(askedAtMs: number): void {
    if (this.lasts()) this.#beatenAtMs = askedAtMs
  }

  end(): void {
    this.#isOver = true
  }

  lasts(): boolean {
    this.#isOver ||= this.#silentMs >= this.#parts.config.outageMs
    return !this.#isOver
  }

  /** Nobody else can have taken what it holds. One that is not fresh logs no number in: another may just do that. */
  isFresh(): boolean {
    return this.lasts() && this.#silentMs < freshMs(this.#parts.config.leaseTtlMs)
  }

  get #silentMs(): number {
    return this.#parts.clock.monotonicMs() - this.#beatenAtMs
  }
}
