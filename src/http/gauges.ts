import { statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Context } from '../context.ts'
import { LookedUp } from '../domain/looked-up.ts'
import type { Health } from '../role.ts'
import type { Store } from '../store/store.ts'
import { unlessLate } from '../within.ts'
import type { DatabaseCheck } from './database-check.ts'
import { gaugeVersions } from './platform-versions.ts'

type GaugeParts = Pick<Context, 'config' | 'metrics' | 'clock'> & { store: Pick<Store, 'nodes'> }

/** Whoever looks is answered, also while the database is not: gauges then stay as they were. */
const PATIENCE_MS = 3_000
/** However many look, the rows are counted so often. */
const BELIEVED_MS = 2_000

/** The gauges that are taken when somebody looks. */
export class Gauges {
  readonly #parts: GaugeParts
  readonly #health: Health
  readonly #database: DatabaseCheck
  readonly #asked: LookedUp<void>

  constructor(parts: GaugeParts, health: Health, database: DatabaseCheck) {
    this.#parts = parts
    this.#health = health
    this.#database = database
    this.#asked = new LookedUp(1, { clock: parts.clock, ms: BELIEVED_MS })
    parts.metrics.heapLimit.set(getHeapStatistics().heap_size_limit)
    parts.metrics.memoryLimit.set(Math.min(totalmem(), process.constrainedMemory() || totalmem()))
  }

  async look(): Promise<void> {
    const { clock } = this.#parts
    const counted = this.#asked.get('', () => this.#count()).catch(() => {})
    const asked = unlessLate(clock, PATIENCE_MS, Promise.all([gaugeVersions(this.#parts), counted]))
    await Promise.all([this.#lookAtRoles(), this.#lookAtDisk(), asked])
  }

  async #lookAtRoles(): Promise<void> {
    const { ready, databaseCheck } = this.#parts.metrics
    const isWell = await this.#database.isWell()
    for (const [check, works] of Object.entries({ database: isWell, ...this.#health() }))
      ready.set({ check }, works ? 1 : 0)
    const { tookMs } = this.#database
    if (tookMs !== undefined) databaseCheck.set(tookMs / 1_000)
  }

  async #lookAtDisk(): Promise<void> {
    const { config, metrics } = this.#parts
    const disk = await statfs(config.dataDir).catch(() => undefined)
    if (disk === undefined) return
    metrics.diskFree.set(disk.bavail * disk.bsize)
    metrics.diskSize.set(disk.blocks * disk.bsize)
  }

  async #count(): Promise<void> {
    const { store, metrics, clock } = this.#parts
    const [counts, depth] = await Promise.all([store.nodes.countNumbers(), store.nodes.readQueueDepth()])
    metrics.numbers.reset()
    for (const { platform, state, isHosted, n } of counts)
      metrics.numbers.set({ platform, state, hosted: isHosted ? 'yes' : 'no' }, n)
    const { commands, oldestCommandDueAt: dueAt } = depth
    metrics.commandsDue.set(commands)
    metrics.oldestCommandSeconds.set(dueAt === null ? 0 : Math.max(0, clock.now().getTime() - dueAt) / 1_000)
  }
}
