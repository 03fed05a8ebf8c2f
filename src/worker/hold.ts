import type { SessionLease } from '../domain/lease.ts'
import { retryUntilReachable } from '../store/retry-until-reachable.ts'
import type { HostDeps } from './deps.ts'
import type { LeaseDeadline } from './tenure.ts'

/** A write was refused because somebody else owns the session by now, or ours has run out. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'

  constructor() {
    super('the lease of this session was lost')
  }
}

type Refused = 'lost' | { kind: 'lost' }

const LOOK_MS = 100

/** The right to act for a number: a lease, for as long as its host may act at all. */
export class HeldLease {
  readonly lease: SessionLease
  readonly sessionId: string
  readonly #deps: Pick<HostDeps, 'clock' | 'log'>
  readonly #tenure: LeaseDeadline
  #isOver = false

  constructor(deps: Pick<HostDeps, 'clock' | 'log'>, lease: SessionLease, tenure: LeaseDeadline) {
    this.#deps = deps
    this.lease = lease
    this.sessionId = lease.id
    this.#tenure = tenure
  }

  lasts(): boolean {
    return !this.#isOver && this.#tenure.lasts()
  }

  /** Throws LeaseLost unless it lasts. */
  require(): void {
    if (!this.lasts()) throw new LeaseLost()
  }

  end(): void {
    this.#isOver = true
  }

  /** The database answers, so that nobody else can have taken the number unheard. */
  isFresh(): boolean {
    return this.lasts() && this.#tenure.isFresh()
  }

  /** Waits until it is fresh, or over. */
  async untilFresh(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.lasts() && !this.isFresh()) await this.#deps.clock.sleep(LOOK_MS, signal)
  }

  /** Writes until the database has it, however long that is away, or until the hold is over. */
  async commit<T>(write: () => Promise<T>): Promise<Exclude<T, Refused>> {
    const { clock, log } = this.#deps
    const onAway = (error: unknown) => log.warn({ session: this.sessionId, err: error }, 'store.away')
    return await retryUntilReachable(clock, () => this.commitOnce(write), { onAway })
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
