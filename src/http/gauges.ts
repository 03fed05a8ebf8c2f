import { statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Context } from '../context.ts'
import { AsyncCache } from '../runtime/async-cache.ts'
import type { Health } from '../role.ts'
import type { Store } from '../store/store.ts'
import { resolveWithin } from '../runtime/deadline.ts'
import type { DatabaseCheck } from './database-check.ts'
import { gaugeVersions } from './platform-versions.ts'

export type GaugeDeps = Pick<Context, 'config' | 'metrics' | 'clock'> & {
  store: Pick<Store, 'commands' | 'deliveries' | 'inbox' | 'media' | 'platformVersions' | 'sessions'>
}

/** `/metrics` answers also while the database does not: the gauges then keep their values. */
const TIMEOUT_MS = 3_000
/** The rows are counted at most this often. */
const CACHED_MS = 2_000

/** The gauges that are measured when `/metrics` is read. */
export class Gauges {
  readonly #deps: GaugeDeps
  readonly #health: Health
  readonly #database: DatabaseCheck
  readonly #counts: AsyncCache<void>

  constructor(deps: GaugeDeps, health: Health, database: DatabaseCheck) {
    this.#deps = deps
    this.#health = health
    this.#database = database
    this.#counts = new AsyncCache(1, { clock: deps.clock, ms: CACHED_MS })
    deps.metrics.heapLimit.set(getHeapStatistics().heap_size_limit)
    deps.metrics.memoryLimit.set(Math.min(totalmem(), process.constrainedMemory() || totalmem()))
  }

  async update(): Promise<void> {
    const { clock } = this.#deps
    const counting = this.#counts.get('', () => this.#count()).catch(() => {})
    const fromDatabase = resolveWithin(clock, TIMEOUT_MS, Promise.all([gaugeVersions(this.#deps), counting]))
    await Promise.all([this.#updateRoles(), this.#updateDisk(), fromDatabase])
  }

  async #updateRoles(): Promise<void> {
    const { ready, databaseCheck } = this.#deps.metrics
    const isHealthy = await this.#database.isHealthy()
    for (const [check, works] of Object.entries({ database: isHealthy, ...this.#health() }))
      ready.set({ check }, works ? 1 : 0)
    const { tookMs } = this.#database
    if (tookMs !== undefined) databaseCheck.set(tookMs / 1_000)
  }

  async #updateDisk(): Promise<void> {
    const { config, metrics } = this.#deps
    const disk = await statfs(config.dataDir).catch(() => undefined)
    if (disk === undefined) return
    metrics.diskFree.set(disk.bavail * disk.bsize)
    metrics.diskSize.set(disk.blocks * disk.bsize)
  }

  async #count(): Promise<void> {
    const { store, metrics, clock } = this.#deps
    const [counts, depth, media] = await Promise.all([
      store.sessions.countNumbersByState(),
      store.commands.readQueueDepth(),
      store.media.sumMediaUsage(),
    ])
    metrics.numbers.reset()
    for (const { platform, state, isHosted, n } of counts)
      metrics.numbers.set({ platform, state, hosted: isHosted ? 'yes' : 'no' }, n)
    metrics.mediaFiles.set(media.files)
    metrics.mediaBytes.set(media.bytes)
    const { commands, oldestCommandDueAt: dueAt } = depth
    metrics.commandsDue.set(commands)
    metrics.oldestCommandSeconds.set(dueAt === null ? 0 : Math.max(0, clock.now().getTime() - dueAt) / 1_000)
  }
}
