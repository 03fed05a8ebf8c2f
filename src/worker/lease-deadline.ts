import { leaseFreshMs } from '../domain/lease-owner-watch.ts'
import type { HostDeps } from './deps.ts'

/** A heartbeat that the database has: when it was sent, and how long the leases last after it. */
interface SentHeartbeat {
  sentAtMs: number
  leaseMs: number
}

/**
 * How long a host may use its leases, by its own clock: until `outageMs` after its last heartbeat. An outage of the
 * database that is shorter ends no link.
 */
export class LeaseDeadline {
  readonly #deps: Pick<HostDeps, 'clock' | 'config'>
  #last: SentHeartbeat
  #isOver = false

  constructor(deps: Pick<HostDeps, 'clock' | 'config'>, first: SentHeartbeat) {
    this.#deps = deps
    this.#last = first
  }

  /** A deadline that has passed cannot be renewed. */
  renew(heartbeat: SentHeartbeat): void {
    if (this.isValid()) this.#last = heartbeat
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
    return this.isValid() && this.#silentMs < leaseFreshMs(this.#last.leaseMs)
  }

  get #silentMs(): number {
    return this.#deps.clock.monotonicMs() - this.#last.sentAtMs
  }
}
