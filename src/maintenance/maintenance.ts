import type { Context } from '../context.ts'
import { databaseEndpoints } from '../boot/database-address.ts'
import { watchCluster } from './cluster-watch.ts'
import { writeEndpoints } from '../net/own-endpoints.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { resealAll } from './reseal-job.ts'
import { ClockSkewMonitor } from './clock-skew.ts'
import type { Store } from '../store/store.ts'
import { runRetention } from './retention-job.ts'
import { VERSION } from '../version.ts'

const ANNOUNCE_EVERY_MS = 2_000
const LOOK_UP_EVERY_MS = 60_000
const SWEEP_EVERY_MS = 5_000

type HouseDeps = Pick<
  Context,
  'config' | 'nodeId' | 'seal' | 'clock' | 'databaseClock' | 'log' | 'metrics' | 'endpoints'
> & {
  store: Pick<Store, 'nodes' | 'resealing' | 'retention' | 'settings' | 'usage'>
}

/** What every process does besides its roles: says that it lives, hears of others, adds up usage, drops what has expired. */
export async function runMaintenance(deps: HouseDeps, address: () => string, signal: AbortSignal): Promise<void> {
  await Promise.all([
    announce(deps, address, signal),
    watchCluster(deps, signal),
    followDatabase(deps, signal),
    sweep(deps, signal),
    reseal(deps, signal),
  ])
}

async function reseal(deps: HouseDeps, signal: AbortSignal): Promise<void> {
  await resealAll(deps, signal).catch((error: unknown) => deps.log.error({ err: error }, 'data.not_resealed'))
}

async function announce(deps: HouseDeps, address: () => string, signal: AbortSignal): Promise<void> {
  const { store, nodeId, config, endpoints } = deps
  const roles = config.roles.join(',')
  const alarm = new ClockSkewMonitor(deps)
  const announcing = new RepeatingTask(
    deps,
    'node.announce',
    async () => {
      const listens = writeEndpoints(endpoints.own())
      const about = { roles, address: address(), version: VERSION, listens, clockAheadMs: alarm.look() }
      await store.nodes.announceNode({ id: nodeId, ...about })
      return ANNOUNCE_EVERY_MS
    },
    ANNOUNCE_EVERY_MS,
  )
  endpoints.onChange(() => announcing.soon())
  await announcing.run(signal)
  await store.nodes.forgetNode(nodeId).catch(() => {})
}

/** A name may move: it is looked up again and again. */
async function followDatabase({ clock, log, config, endpoints }: HouseDeps, signal: AbortSignal): Promise<void> {
  const urls = [config.databaseUrl, config.databaseDirectUrl]
  if (config.databaseUrl === null) return
  const following = new RepeatingTask(
    { clock, log },
    'database.look_up',
    async () => {
      const found = await databaseEndpoints(urls)
      if (found.length > 0) endpoints.set('database', found)
      return LOOK_UP_EVERY_MS
    },
    LOOK_UP_EVERY_MS,
  )
  await following.run(signal, LOOK_UP_EVERY_MS)
}

async function sweep(deps: HouseDeps, signal: AbortSignal): Promise<void> {
  const sweeping = new RepeatingTask(
    deps,
    'house.sweep',
    async () => {
      await runRetention(deps, signal)
      return SWEEP_EVERY_MS
    },
    SWEEP_EVERY_MS,
  )
  await sweeping.run(signal, SWEEP_EVERY_MS)
}
