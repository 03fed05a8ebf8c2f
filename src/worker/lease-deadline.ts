import { leaseFreshMs } from '../domain/lease-owner-watch.ts'
import type { HostDeps } from './deps.ts'

/**
 * How long a host may use its leases, by its own clock: until `outageMs` after its last heartbeat. An outage of the
 * database that is shorter ends no link.
 */
export class LeaseDeadline {
  readonly #deps: Pick<HostDeps, 'clock' | 'config'>
  #renewedAtMs: number
  #isOver = false

  constructor(deps: Pick<HostDeps, 'clock' | 'config'>, renewedAtMs: number) {
    this.#deps = deps
    this.#renewedAtMs = renewedAtMs
  }

  /** The database has a heartbeat that was sent at this time. A deadline that has passed cannot be renewed. */
  renew(sentAtMs: number): void {
    if (this.isValid()) this.#renewedAtMs = sentAtMs
  }

  end(): void {
    this.#isOver = true
  }

  isValid(): boolean {
    this.#isOver ||= this.#silentMs >= this.#deps.config.outageMs
    return !this.#isOver
  }

  /** No other host can have taken the leases. While that is uncertain, no number logs in: another host may do so. */
  isFresh(): boolean {
    return this.isValid() && this.#silentMs < leaseFreshMs(this.#deps.config.leaseTtlMs)
  }

  get #silentMs(): number {
    return this.#deps.clock.monotonicMs() - this.#renewedAtMs
  }
}
