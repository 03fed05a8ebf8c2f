import { freshMs } from '../domain/holder.ts'
import type { HostDeps } from './deps.ts'

/**
 * How long a host may act for what it holds: as long as it says that it lives, and for a while after it could say so
 * last, by a clock of its own. A database that is away ends nothing, unless it is away for longer than that.
 */
export class LeaseDeadline {
  readonly #deps: Pick<HostDeps, 'clock' | 'config'>
  #beatenAtMs: number
  #isOver = false

  constructor(deps: Pick<HostDeps, 'clock' | 'config'>, beatenAtMs: number) {
    this.#deps = deps
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
    this.#isOver ||= this.#silentMs >= this.#deps.config.outageMs
    return !this.#isOver
  }

  /** Nobody else can have taken what it holds. One that is not fresh logs no number in: another may just do that. */
  isFresh(): boolean {
    return this.lasts() && this.#silentMs < freshMs(this.#deps.config.leaseTtlMs)
  }

  get #silentMs(): number {
    return this.#deps.clock.monotonicMs() - this.#beatenAtMs
  }
}
