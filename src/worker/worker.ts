import type { Context } from '../context.ts'
import { makeId } from '../domain/ids.ts'
import type { PlatformName } from '../domain/session.ts'
import type { Platform } from '../platform/platform.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { aborted, type Role } from '../role.ts'
import { Semaphore } from '../runtime/semaphore.ts'
import type { HostIdentity, Wanted } from '../store/hosting/hosting.ts'
import { Host } from './host.ts'
import { HostCounters } from './host-counters.ts'
import type { HostDeps } from './deps.ts'
import { type RunningHost, startHostThread } from './start-host-thread.ts'

type StartHost = (identity: HostIdentity) => RunningHost

type Platforms = Partial<Record<PlatformName, Platform>>

const POLL_MS = 1_000
const RESTART_MS = 1_000
/** Another thread is worth its memory from this many numbers on. */
const NUMBERS_PER_THREAD = 250
const PLATFORMS: PlatformName[] = ['whatsapp', 'sandbox']

/**
 * The worker role: a host for each network that has work, in a separate thread, so that a busy number slows no request and
 * the sandbox's certificates are never trusted for the real network. Many numbers on many cores get several hosts. With
 * `platforms` the hosts run in this thread.
 */
export function createWorker(context: Context, platforms?: Platforms, overrides: Partial<HostDeps> = {}): Role {
  if (platforms === undefined) return new Worker(context, () => true, inSeparateThread(context))
  return new Worker(context, name => Object.hasOwn(platforms, name), inThisThread(context, platforms, overrides))
}

class Worker implements Role {
  readonly name = 'worker'
  readonly #context: Context
  readonly #canHost: (name: PlatformName) => boolean
  readonly #startHost: StartHost
  readonly #hosts = new Map<PlatformName, Set<RunningHost>>()
  /** Reads which networks have work before the next poll. */
  #pollSoon = (): void => {}
  /** Networks that have work; `undefined` before the first read. */
  #needed: PlatformName[] | undefined

  constructor(context: Context, canHost: (name: PlatformName) => boolean, startHost: StartHost) {
    this.#context = context
    this.#canHost = canHost
    this.#startHost = startHost
  }

  isReady(): boolean {
    return this.#needed?.every(name => !this.#mayHost(name) || this.#isServed(name)) === true
  }

  async run(signal: AbortSignal): Promise<void> {
    const { signals } = this.#context.store
    const polling = new RepeatingTask(this.#context, 'worker.poll', () => this.#poll(signal))
    this.#pollSoon = () => polling.runSoon()
    const listening = (['sessions', 'pairings', 'hosts'] as const).map(about =>
      signals.on(about, () => this.#lacksAnyHost() && polling.runSoon()),
    )
    const working = polling.run(signal)
    await aborted(signal)
    listening.forEach(stop => stop())
    const ending = [...this.#hosts.values()].flatMap(hosts => [...hosts])
    ending.forEach(host => host.stop())
    await Promise.allSettled([working, ...ending.map(host => host.ended)])
  }

  async #poll(signal: AbortSignal): Promise<number> {
    const wanted = await this.#context.store.hosting.readWanted(PLATFORMS.filter(name => this.#mayHost(name)))
    this.#needed = wanted.map(({ platform }) => platform)
    for (const each of wanted) if (this.#lacksHost(each) && !signal.aborted) this.#start(each.platform, signal)
    const isStarting = [...this.#hosts.values()].some(hosts => [...hosts].some(host => !host.isReady()))
    return isStarting ? POLL_MS : this.#context.store.signals.pollDelayMs(POLL_MS)
  }

  #mayHost(name: PlatformName): boolean {
    return (name !== 'sandbox' || this.#context.config.sandbox) && this.#canHost(name)
  }

  #isServed(name: PlatformName): boolean {
    const hosts = this.#running(name)
    return hosts.size > 0 && [...hosts].every(host => host.isReady())
  }

  /** Whether a network has no host in this process: a change may be its first work. */
  #lacksAnyHost(): boolean {
    return PLATFORMS.some(name => this.#mayHost(name) && this.#running(name).size === 0)
  }

  /** Hosts start one at a time: the first ones may be enough. */
  #lacksHost({ platform, sessions, nodes }: Wanted): boolean {
    const running = this.#running(platform)
    const share = sessions / Math.max(1, nodes)
    const enough = Math.min(this.#context.config.hostThreads, Math.ceil(share / NUMBERS_PER_THREAD))
    return running.size < Math.max(1, enough) && [...running].every(host => host.isReady())
  }

  #running(name: PlatformName): Set<RunningHost> {
    const running = this.#hosts.get(name) ?? new Set()
    this.#hosts.set(name, running)
    return running
  }

  #start(platform: PlatformName, signal: AbortSignal): void {
    const { nodeId, log } = this.#context
    const identity: HostIdentity = { id: `${nodeId}/${makeId('host')}`, nodeId, platform }
    const host = this.#startHost(identity)
    const running = this.#running(platform)
    running.add(host)
    log.info({ owner: identity.id, platform }, 'host.started')
    void host.ended
      .catch((error: unknown) => this.#hostFailed(identity, error, signal))
      .finally(() => {
        running.delete(host)
        this.#pollSoon()
      })
  }

  /** The host has certainly ended: its numbers need not wait until other hosts miss its heartbeat. */
  async #hostFailed({ id, platform }: HostIdentity, error: unknown, signal: AbortSignal): Promise<void> {
    const { store, log, clock } = this.#context
    log.error({ owner: id, platform, err: error }, 'host.failed')
    await store.leases.endLeaseOwner({ id }).catch(() => {})
    await clock.sleep(RESTART_MS, signal)
  }
}

function inSeparateThread(context: Context): StartHost {
  return identity => startHostThread(context, identity)
}

function inThisThread(context: Context, platforms: Platforms, overrides: Partial<HostDeps>): StartHost {
  return identity => {
    const metrics = new HostCounters(context.metrics, identity.platform)
    const stopping = new AbortController()
    const platform = platforms[identity.platform]!
    const host = new Host({ ...context, metrics, ...overrides, suspects: new Semaphore(1), identity, platform })
    const ended = host.run(stopping.signal).finally(() => metrics.end())
    return { ended, isReady: () => host.isReady(), stop: () => stopping.abort() }
  }
}
