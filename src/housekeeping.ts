import type { Context } from './context.ts'
import { resealAll } from './reseal.ts'
import { VERSION } from './version.ts'

const ANNOUNCE_EVERY_MS = 2_000
const SWEEP_EVERY_MS = 5_000

/** What every process does besides its roles: says that it lives, adds up usage, drops what has expired. */
export async function keepHouse(context: Context, address: () => string, signal: AbortSignal): Promise<void> {
  await Promise.all([announce(context, address, signal), sweep(context, signal), reseal(context, signal)])
}

async function reseal(context: Context, signal: AbortSignal): Promise<void> {
  await resealAll(context, signal).catch((error: unknown) => context.log.error({ err: error }, 'sealing again failed'))
}

async function announce(
  { store, clock, nodeId, config, log }: Context,
  address: () => string,
  signal: AbortSignal,
): Promise<void> {
  const roles = config.roles.join(',')
  while (!signal.aborted) {
    await store
      .announceNode({ id: nodeId, roles, address: address(), version: VERSION })
      .catch((error: unknown) => log.warn({ err: error }, 'node could not be announced'))
    await clock.sleep(ANNOUNCE_EVERY_MS, signal)
  }
  await store.forgetNode(nodeId).catch(() => {})
}

async function sweep({ store, clock, log }: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(SWEEP_EVERY_MS, signal)
    if (signal.aborted) return
    await store
      .foldUsage(null)
      .then(() => store.dropExpired(null))
      .catch((error: unknown) => log.warn({ err: error }, 'housekeeping failed'))
  }
}
