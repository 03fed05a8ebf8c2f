import type { Context } from '../context.ts'
import type { Store } from '../store/store.ts'
import { resolveWithin } from '../runtime/deadline.ts'

/** A write that takes longer counts as failed. */
const TIMEOUT_MS = 2_000
/** How long a result is reused. */
const CACHED_MS = 1_000

type CheckDeps = Pick<Context, 'clock' | 'nodeId'> & { store: Pick<Store, 'nodes'> }

/** Whether the database takes writes. At most one write runs at a time, for all callers. */
export class DatabaseCheck {
  readonly #deps: CheckDeps
  #writing: Promise<boolean> | undefined
  #last: { isHealthy: boolean; atMs: number; tookMs: number } | undefined

  constructor(deps: CheckDeps) {
    this.#deps = deps
  }

  /** How long the last write took; `undefined` before the first. */
  get tookMs(): number | undefined {
    return this.#last?.tookMs
  }

  async isHealthy(): Promise<boolean> {
    const { clock } = this.#deps
    if (this.#last !== undefined && clock.monotonicMs() - this.#last.atMs < CACHED_MS) return this.#last.isHealthy
    this.#writing ??= this.#write()
    return (await resolveWithin(clock, TIMEOUT_MS, this.#writing)) ?? false
  }

  async #write(): Promise<boolean> {
    const { store, nodeId, clock } = this.#deps
    const begunMs = clock.monotonicMs()
    const isHealthy = await store.nodes.touchNode(nodeId).then(
      () => true,
      () => false,
    )
    this.#writing = undefined
    const atMs = clock.monotonicMs()
    this.#last = { isHealthy, atMs, tookMs: atMs - begunMs }
    return isHealthy
  }
}
