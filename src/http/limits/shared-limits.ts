import { hash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { TokenBuckets, Unsettled } from '../../runtime/token-buckets.ts'
import { RepeatingTask } from '../../runtime/repeating-task.ts'
import type { Store } from '../../store/store.ts'

const SETTLE_EVERY_MS = 1_000
/** However much there is to settle, the store is asked no more often. */
const QUIET_MS = 100
const SETTLED_AT_ONCE = 1_000

type Deps = Pick<Context, 'clock' | 'log'> & { store: Pick<Store, 'limits'> }

/**
 * Makes limits hold over all processes that answer requests: each lets through from its own buckets, and once a second,
 * or sooner where somebody takes much, it takes what it let through from buckets that all share. So over any longer time
 * a limit holds exactly; after a pause every further process may let through one burst more, which is paid back before
 * anything else is let through.
 */
export class SharedLimits {
  readonly #deps: Deps
  /** By the word that their names begin with in the store. */
  readonly #kinds: Map<string, TokenBuckets>
  readonly #settling: RepeatingTask
  #processes = 1
  #settledAtMs = Number.NEGATIVE_INFINITY

  constructor(deps: Deps, kinds: Record<string, TokenBuckets>) {
    this.#deps = deps
    this.#kinds = new Map(Object.entries(kinds))
    this.#settling = new RepeatingTask(deps, 'limits.settle', async () => {
      await this.#settle()
      return SETTLE_EVERY_MS
    })
  }

  /** How many processes answer requests. */
  get processes(): number {
    return this.#processes
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#settling.run(signal)
  }

  async #settle(): Promise<void> {
    const { clock, store } = this.#deps
    await clock.sleep(Math.max(0, this.#settledAtMs + QUIET_MS - clock.monotonicMs()))
    this.#settledAtMs = clock.monotonicMs()
    this.#processes = Math.max(1, await store.limits.countApiNodes())
    for (const [kind, buckets] of this.#kinds) {
      buckets.shareWith(this.#processes, () => this.#settling.soon())
      if (this.#processes === 1) buckets.forgetUnsettled()
      else await this.#settleAll(kind, buckets)
    }
  }

  async #settleAll(kind: string, buckets: TokenBuckets): Promise<void> {
    const all = buckets.unsettled()
    for (let from = 0; from < all.length; from += SETTLED_AT_ONCE)
      await this.#settleSome(kind, buckets, all.slice(from, from + SETTLED_AT_ONCE))
  }

  async #settleSome(kind: string, buckets: TokenBuckets, some: Unsettled[]): Promise<void> {
    const { clock, store } = this.#deps
    const items = some.map(({ key, n, rate }) => ({ id: `${kind}:${nameOf(key)}`, n, ...rate }))
    const left = await store.limits.syncRequestMeters(items)
    some.forEach(({ key, n }, i) => buckets.goOnWith(key, n, left[i]!, clock.monotonicMs()))
  }
}

/** Addresses and emails of those who try to come in are nobody's to read in the database. */
const nameOf = (key: string): string => hash('sha256', key, 'base64url').slice(0, 32)
