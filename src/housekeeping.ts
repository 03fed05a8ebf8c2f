import type { Context } from './context.ts'
import { databaseEndpoints } from './database-endpoints.ts'
import { followNodes } from './follow-nodes.ts'
import { writeEndpoints } from './net/own-endpoints.ts'
import { Repeating } from './repeating.ts'
import { resealAll } from './reseal.ts'
import { SkewAlarm } from './skew-alarm.ts'
import type { Store } from './store/store.ts'
import { sweepHouse } from './sweep-house.ts'
import { VERSION } from './version.ts'

const ANNOUNCE_EVERY_MS = 2_000
const LOOK_UP_EVERY_MS = 60_000
const SWEEP_EVERY_MS = 5_000

type HouseParts = Pick<
  Context,
  'config' | 'nodeId' | 'seal' | 'clock' | 'storeClock' | 'log' | 'metrics' | 'endpoints'
> & {
  store: Pick<Store, 'nodes'>
}

/** What every process does besides its roles: says that it lives, hears of others, adds up usage, drops what has expired. */
export async function keepHouse(parts: HouseParts, address: () => string, signal: AbortSignal): Promise<void> {
  await Promise.all([
    announce(parts, address, signal),
    followNodes(parts, signal),
    followDatabase(parts, signal),
    sweep(parts, signal),
    reseal(parts, signal),
  ])
}

async function reseal(parts: HouseParts, signal: AbortSignal): Promise<void> {
  await resealAll(parts, signal).catch((error: unknown) => parts.log.error({ err: error }, 'data.not_resealed'))
}

async function announce(parts: HouseParts, address: () => string, signal: AbortSignal): Promise<void> {
  const { store, nodeId, config, endpoints } = parts
  const roles = config.roles.join(',')
  const alarm = new SkewAlarm(parts)
  const announcing = new Repeating(
    parts,
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
async function followDatabase({ clock, log, config, endpoints }: HouseParts, signal: AbortSignal): Promise<void> {
  const urls = [config.databaseUrl, config.databaseDirectUrl]
  if (config.databaseUrl === null) return
  const following = new Repeating(
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

async function sweep(parts: HouseParts, signal: AbortSignal): Promise<void> {
  const sweeping = new Repeating(
    parts,
    'house.sweep',
    async () => {
      await sweepHouse(parts, signal)
      return SWEEP_EVERY_MS
    },
    SWEEP_EVERY_MS,
  )
  await sweeping.run(signal, SWEEP_EVERY_MS)
}
