import { hash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { TokenBuckets, Unsynced } from '../../runtime/token-buckets.ts'
import { RepeatingTask } from '../../runtime/repeating-task.ts'
import type { Store } from '../../store/store.ts'

const SYNC_EVERY_MS = 1_000
const ALONE_MS = 6_000
/** However much there is to sync, the store is called no more often. */
const QUIET_MS = 100
const SYNC_BATCH = 1_000

type Deps = Pick<Context, 'clock' | 'log'> & { store: Pick<Store, 'limits' | 'signals'> }

/**
 * Makes limits hold over all processes that serve requests. Each process takes from its own buckets, and once a second, or
 * sooner if a caller takes much, it takes the same amount from buckets that all processes share in the store. Over any longer
 * time a limit therefore holds exactly. After a pause each further process may admit one more burst, which it pays back
 * before it admits anything else.
 */
export class SharedLimits {
  readonly #deps: Deps
  /** By the prefix of their ids in the store. */
  readonly #kinds: Map<string, TokenBuckets>
  readonly #syncing: RepeatingTask
  #processes = 1
  #syncedAtMs = Number.NEGATIVE_INFINITY

  constructor(deps: Deps, kinds: Record<string, TokenBuckets>) {
    this.#deps = deps
    this.#kinds = new Map(Object.entries(kinds))
    this.#syncing = new RepeatingTask(deps, 'limits.sync', async () => {
      await this.#sync()
      // Where no signal is lost there is no other process.
      return deps.store.signals.areCertain ? ALONE_MS : SYNC_EVERY_MS
    })
  }

  /** How many processes serve requests. */
  get processes(): number {
    return this.#processes
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#syncing.run(signal)
  }

  async #sync(): Promise<void> {
    const { clock, store } = this.#deps
    const quietMs = this.#syncedAtMs + QUIET_MS - clock.monotonicMs()
    if (quietMs > 0) await clock.sleep(quietMs)
    this.#syncedAtMs = clock.monotonicMs()
    this.#processes = Math.max(1, await store.limits.countApiNodes())
    for (const [kind, buckets] of this.#kinds) {
      buckets.shareWith(this.#processes, () => this.#syncing.runSoon())
      if (this.#processes === 1) buckets.forgetUnsynced()
      else await this.#syncAll(kind, buckets)
    }
  }

  async #syncAll(kind: string, buckets: TokenBuckets): Promise<void> {
    const all = buckets.unsynced()
    for (let from = 0; from < all.length; from += SYNC_BATCH)
      await this.#syncSome(kind, buckets, all.slice(from, from + SYNC_BATCH))
  }

  async #syncSome(kind: string, buckets: TokenBuckets, some: Unsynced[]): Promise<void> {
    const { clock, store } = this.#deps
    const items = some.map(({ key, n, rate }) => ({ id: `${kind}:${nameOf(key)}`, n, ...rate }))
    const left = await store.limits.syncRequestMeters(items)
    some.forEach(({ key, n }, i) => buckets.applySynced(key, n, left[i]!, clock.monotonicMs()))
  }
}

/** The database must not reveal addresses and emails of sign-in attempts. */
const nameOf = (key: string): string => hash('sha256', key, 'base64url').slice(0, 32)
