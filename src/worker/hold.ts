import { lastsUntil, type SessionLease } from '../domain/lease.ts'
import { whenReachable } from '../store/when-reachable.ts'
import type { HostParts } from './parts.ts'

/** A write was refused because somebody else owns the session by now, or ours has run out. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'

  constructor() {
    super('the lease of this session was lost')
  }
}

type Refused = 'lost' | { kind: 'lost' }

/**
 * The right to act for a number: a lease, and how long it lasts by a clock of our own. A process that was stopped and
 * wakes up late finds it over before it has asked anybody.
 */
export class Hold {
  readonly lease: SessionLease
  readonly sessionId: string
  readonly #parts: Pick<HostParts, 'clock' | 'log' | 'config'>
  #untilMs: number

  constructor(parts: Pick<HostParts, 'clock' | 'log' | 'config'>, lease: SessionLease, askedAtMs: number) {
    this.#parts = parts
    this.lease = lease
    this.sessionId = lease.id
    this.#untilMs = lastsUntil(askedAtMs, parts.config.leaseTtlMs)
  }

  lasts(): boolean {
    return this.#parts.clock.monotonicMs() < this.#untilMs
  }

  /** Throws LeaseLost unless it lasts. */
  require(): void {
    if (!this.lasts()) throw new LeaseLost()
  }

  /** The lease was renewed; one that is over stays over. */
  renewed(askedAtMs: number): void {
    if (this.lasts()) this.#untilMs = lastsUntil(askedAtMs, this.#parts.config.leaseTtlMs)
  }

  end(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY
  }

  /** Writes until the database has it, however long that is away, or until the hold is over. */
  async commit<T>(write: () => Promise<T>): Promise<Exclude<T, Refused>> {
    const { clock, log } = this.#parts
    const onAway = (error: unknown) => log.warn({ session: this.sessionId, err: error }, 'store.away')
    return await whenReachable(clock, () => this.commitOnce(write), { onAway })
  }

  /** Writes what is refused where the lease is another's. */
  async commitOnce<T>(write: () => Promise<T>): Promise<Exclude<T, Refused>> {
    this.require()
    const result = await write()
    if (!isRefused(result)) return result as Exclude<T, Refused>
    this.end()
    throw new LeaseLost()
  }
}

const isRefused = (result: unknown): boolean =>
  result === 'lost' || (typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'lost')
