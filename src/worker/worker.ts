import type { Context } from '../context.ts'
import { makeId } from '../domain/ids.ts'
import type { PlatformName } from '../domain/session.ts'
import type { Platform } from '../platform/platform.ts'
import { aborted, type Role } from '../role.ts'
import type { HostIdentity } from '../store/units/hosting/hosting.ts'
import { createHost } from './host.ts'
import { type HostParts, metricsOf } from './parts.ts'
import { startHostThread } from './start-host-thread.ts'

/** A host at work, in a thread or here. */
export interface RunningHost {
  /** Resolves when it was stopped; rejects when it broke. */
  readonly ended: Promise<void>
  isReady(): boolean
  stop(): void
}

export type StartHost = (identity: HostIdentity) => RunningHost

export type Platforms = Partial<Record<PlatformName, Platform>>

const LOOK_MS = 1_000
const RESTART_MS = 1_000

/**
 * The worker role: hosts for each network that has something to do, each in a thread of its own, so that a busy number
 * slows no request and the sandbox's trust never meets the real network. With `platforms` they run in this thread.
 */
export function createWorker(context: Context, platforms?: Platforms, overrides: Partial<HostParts> = {}): Role {
  const { store, log, config } = context
  const startHost = platforms === undefined ? threadHosts(context) : localHosts(context, platforms, overrides)
  const hosts = new Map<PlatformName, RunningHost>()
  /** Networks that have something to do; `undefined` before the first look. */
  let needed: PlatformName[] | undefined

  const mayStart = (name: PlatformName): boolean =>
    !hosts.has(name) &&
    (name !== 'sandbox' || config.sandbox) &&
    (platforms === undefined || Object.hasOwn(platforms, name))

  async function look(signal: AbortSignal): Promise<void> {
    needed = await store.hosting.readWantedPlatforms()
    for (const name of needed) if (mayStart(name) && !signal.aborted) start(name, signal)
  }

  function start(name: PlatformName, signal: AbortSignal): void {
    const identity: HostIdentity = { id: `${context.nodeId}/${makeId('host')}`, nodeId: context.nodeId, platform: name }
    const host = startHost(identity)
    hosts.set(name, host)
    log.info({ owner: identity.id, platform: name }, 'host.started')
    void host.ended
      .catch(async (error: unknown) => {
        log.error({ owner: identity.id, platform: name, err: error }, 'host.broke')
        // It is gone for certain: its sessions need not wait for their leases to run out.
        await store.hosting.endHost(identity.id).catch(() => {})
        await context.clock.sleep(RESTART_MS, signal)
      })
      .finally(() => hosts.delete(name))
  }

  return {
    name: 'worker',
    isReady: () => needed?.every(name => hosts.get(name)?.isReady() ?? !mayStart(name)) === true,
    run: async signal => {
      const lookAgain = (): void => {
        look(signal).catch((error: unknown) => log.warn({ err: error }, 'worker.retries'))
      }
      const timer = setInterval(lookAgain, LOOK_MS)
      const topics = ['sessions', 'pairings', 'hosts'] as const
      const listening = topics.map(topic => store.signals.on(topic, lookAgain))
      lookAgain()
      await aborted(signal)
      clearInterval(timer)
      for (const stop of listening) stop()
      const ending = [...hosts.values()]
      for (const host of ending) host.stop()
      await Promise.allSettled(ending.map(host => host.ended))
    },
  }
}

function threadHosts(context: Context): StartHost {
  return identity => startHostThread(context, identity)
}

function localHosts(context: Context, platforms: Platforms, overrides: Partial<HostParts>): StartHost {
  return identity => {
    const parts: HostParts = {
      ...context,
      metrics: metricsOf(context.metrics, identity.platform),
      ...overrides,
    }
    const stopping = new AbortController()
    const host = createHost(parts, platforms[identity.platform]!, identity)
    return { ended: host.run(stopping.signal), isReady: host.isReady, stop: () => stopping.abort() }
  }
}
