import type { SessionLease } from '../domain/lease.ts'
import { retryUntilReachable } from '../store/retry-until-reachable.ts'
import type { HostDeps } from './deps.ts'
import type { LeaseDeadline } from './lease-deadline.ts'

/** A write was rejected because another host owns the session, or the local deadline has passed. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'

  constructor() {
    super('the lease of this session was lost')
  }
}

type Rejected = 'lost' | { kind: 'lost' }

const POLL_MS = 100

/** A number's lease that this host owns, valid until it is lost or the host's deadline passes. */
export class HeldLease {
  readonly lease: SessionLease
  readonly sessionId: string
  readonly #deps: Pick<HostDeps, 'clock' | 'log'>
  readonly #leaseDeadline: LeaseDeadline
  #isOver = false

  constructor(deps: Pick<HostDeps, 'clock' | 'log'>, lease: SessionLease, leaseDeadline: LeaseDeadline) {
    this.#deps = deps
    this.lease = lease
    this.sessionId = lease.id
    this.#leaseDeadline = leaseDeadline
  }

  isValid(): boolean {
    return !this.#isOver && this.#leaseDeadline.isValid()
  }

  /** Throws LeaseLost unless it is valid. */
  requireValid(): void {
    if (!this.isValid()) throw new LeaseLost()
  }

  end(): void {
    this.#isOver = true
  }

  /** The database was reachable so recently that no other host can have taken the number. */
  isFresh(): boolean {
    return this.isValid() && this.#leaseDeadline.isFresh()
  }

  /** The database answers, as far as this host knows. */
  isHeard(): boolean {
    return this.isValid() && this.#leaseDeadline.isHeard()
  }

  /** Waits until the lease is fresh, or over. */
  async untilFresh(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.isValid() && !this.isFresh()) await this.#deps.clock.sleep(POLL_MS, signal)
  }

  /** Repeats a write while the database is unreachable, until it succeeds or the lease is over. */
  async commit<T>(write: () => Promise<T>): Promise<Exclude<T, Rejected>> {
    const { clock, log } = this.#deps
    const onUnreachable = (error: unknown) => log.warn({ session: this.sessionId, err: error }, 'store.write_failed')
    return await retryUntilReachable(clock, () => this.commitOnce(write), { onUnreachable })
  }

  /** Runs a write that the store rejects if another host has the lease. */
  async commitOnce<T>(write: () => Promise<T>): Promise<Exclude<T, Rejected>> {
    this.requireValid()
    const result = await write()
    if (!isRejected(result)) return result as Exclude<T, Rejected>
    this.end()
    throw new LeaseLost()
  }
}

const isRejected = (result: unknown): boolean =>
  result === 'lost' || (typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'lost')
