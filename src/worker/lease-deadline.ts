import { heardMs, leaseFreshMs } from '../domain/lease-owner-watch.ts'
import type { Clock } from '../runtime/clock.ts'
import type { HostConfig } from './deps.ts'

interface DeadlineDeps {
  clock: Pick<Clock, 'monotonicMs'>
  config: Pick<HostConfig, 'leaseTtlMs' | 'outageMs'>
}

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
  readonly #deps: DeadlineDeps
  #last: SentHeartbeat
  #isOver = false

  constructor(deps: DeadlineDeps, first: SentHeartbeat) {
    this.#deps = deps
    this.#last = first
  }

  /** A deadline that has passed cannot be renewed. */
  renew(heartbeat: SentHeartbeat): void {
    if (this.isValid()) this.#last = heartbeat
  }

  /** A heartbeat that promises this is on its way: from now on others may judge this host by it. */
  promise(leaseMs: number): void {
    this.#last = { ...this.#last, leaseMs: Math.min(this.#last.leaseMs, leaseMs) }
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

  /** The database has answered the last heartbeat that was due. */
  isHeard(): boolean {
    return this.isValid() && this.#silentMs < heardMs(this.#deps.config.leaseTtlMs, this.#last.leaseMs)
  }

  get #silentMs(): number {
    return this.#deps.clock.monotonicMs() - this.#last.sentAtMs
  }
}
