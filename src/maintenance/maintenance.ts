import type { Context } from '../context.ts'
import { databaseEndpoints } from '../boot/database-address.ts'
import { watchCluster } from './cluster-watch.ts'
import { writeEndpoints } from '../net/own-endpoints.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { historyRetention } from './history-retention.ts'
import { mailAboutEndpoints } from './endpoint-mails.ts'
import { erasePeople } from './erasures.ts'
import { mediaRetention } from './media-retention.ts'
import { resealAll } from './reseal-job.ts'
import { ClockSkewMonitor } from './clock-skew.ts'
import type { Store } from '../store/store.ts'
import { runRetention } from './retention-job.ts'
import { VERSION } from '../version.ts'

const ANNOUNCE_EVERY_MS = 2_000
const RESOLVE_EVERY_MS = 60_000
const RETENTION_EVERY_MS = 15_000
const RETENTION_AFTER_MS = 5_000

type MaintenanceDeps = Pick<
  Context,
  'config' | 'nodeId' | 'seal' | 'mediaFiles' | 'clock' | 'databaseClock' | 'log' | 'metrics' | 'endpoints'
> & {
  store: Pick<
    Store,
    | 'compact'
    | 'devices'
    | 'endpoints'
    | 'erasures'
    | 'media'
    | 'movedNumbers'
    | 'nodes'
    | 'resealing'
    | 'retention'
    | 'settings'
    | 'signals'
    | 'usage'
  >
}

/** The work of every process besides its roles: its heartbeat, the endpoints of other processes, usage totals and retention. */
export async function runMaintenance(deps: MaintenanceDeps, address: () => string, signal: AbortSignal): Promise<void> {
  await Promise.all([
    announce(deps, address, signal),
    watchCluster(deps, signal),
    followDatabase(deps, signal),
    retain(deps, signal),
    historyRetention(deps).run(signal, RETENTION_AFTER_MS),
    mediaRetention(deps).run(signal, RETENTION_AFTER_MS),
    erasePeople(deps, signal),
    mailAboutEndpoints(deps, signal),
    reseal(deps, signal),
  ])
}

async function reseal(deps: MaintenanceDeps, signal: AbortSignal): Promise<void> {
  await resealAll(deps, signal).catch((error: unknown) => deps.log.error({ err: error }, 'data.reseal_failed'))
}

async function announce(deps: MaintenanceDeps, address: () => string, signal: AbortSignal): Promise<void> {
  const { store, nodeId, config, endpoints } = deps
  const roles = config.roles.join(',')
  const skew = new ClockSkewMonitor(deps)
  const announcing = new RepeatingTask(
    deps,
    'node.announce',
    async () => {
      const listens = writeEndpoints(endpoints.own())
      const about = { roles, address: address(), version: VERSION, listens, clockAheadMs: skew.check() }
      await store.nodes.announceNode({ id: nodeId, ...about })
      return store.signals.restMs(ANNOUNCE_EVERY_MS)
    },
    ANNOUNCE_EVERY_MS,
  )
  endpoints.onChange(() => announcing.runSoon())
  await announcing.run(signal)
  await store.nodes.forgetNode(nodeId).catch(() => {})
}

/** The name of the database may resolve to another address later, so it is resolved once a minute. */
async function followDatabase({ clock, log, config, endpoints }: MaintenanceDeps, signal: AbortSignal): Promise<void> {
  const urls = [config.databaseUrl, config.databaseDirectUrl]
  if (config.databaseUrl === null) return
  const task = new RepeatingTask(
    { clock, log },
    'database.resolve',
    async () => {
      const found = await databaseEndpoints(urls)
      if (found.length > 0) endpoints.set('database', found)
      return RESOLVE_EVERY_MS
    },
    RESOLVE_EVERY_MS,
  )
  await task.run(signal, RESOLVE_EVERY_MS)
}

async function retain(deps: MaintenanceDeps, signal: AbortSignal): Promise<void> {
  const task = new RepeatingTask(
    deps,
    'retention.run',
    async () => {
      await runRetention(deps, signal)
      return RETENTION_EVERY_MS
    },
    RETENTION_EVERY_MS,
  )
  await task.run(signal, RETENTION_AFTER_MS)
}
