import { Semaphore } from '../../runtime/semaphore.ts'
import { LIBRARY, VERSION } from '../../version.ts'
import type { Proxy } from '../../domain/proxy.ts'
import type { Platform } from '../platform.ts'
import { HeavyWork } from './engine/heavy-work.ts'
import { bindThread } from './engine/library.ts'
import { proxiedRoute } from './engine/proxied-route.ts'
import { baseConfig, directRoute, mediaRouteOf, type Route } from './engine/socket-config.ts'
import { discardDevice } from './pairing/discard.ts'
import type { PairingDeps } from './pairing/attempt.ts'
import { pair } from './pairing/pairing.ts'
import { Recorder } from '#recorder/recorder'
import { openSession, readOffline } from './session.ts'
import { removeAbandonedMedia } from './to-message/fetch-media.ts'
import type { WhatsAppOptions } from './options.ts'
import type { ClientVersions } from './version/client-versions.ts'

/** Creates the platform; this module and those that it imports may load the library. */
export function createPlatform(options: WhatsAppOptions & { versions: ClientVersions }): Platform {
  const { clock, network, versions, download, ackTimeoutMs } = options
  bindThread(network)
  void removeAbandonedMedia(clock).catch(() => {})
  const media = mediaRouteOf(network, options.mediaTimeoutMs ?? 60_000)
  const direct = directRoute(media)
  const routeOf = (proxy: Proxy | null | undefined): Route => {
    if (!proxy) return direct
    const { openTunnel } = options
    if (openTunnel === undefined) throw new Error('this platform opens no connections through proxies')
    return proxiedRoute({ clock, network, media, openTunnel }, proxy)
  }
  const keepAliveIntervalMs = options.keepAliveIntervalMs ?? 20_000
  const { record } = options
  const recorder =
    record &&
    new Recorder({ clock, versions: { postern: VERSION, library: LIBRARY }, network: network.kind, ...record })
  const session = {
    clock,
    heavyWork: new HeavyWork(clock),
    suspects: options.suspects ?? new Semaphore(1),
    network,
    versions,
    download,
    keepAliveIntervalMs,
    ackTimeoutMs,
    checksPerDay: options.checksPerDay ?? 500,
    ffmpeg: options.ffmpeg ?? null,
    prepareTimeoutMs: options.prepareTimeoutMs ?? 120_000,
    recorder,
    stanzaTimeoutMs: options.stanzaTimeoutMs ?? 15_000,
    openTimeoutMs: options.openTimeoutMs ?? 45_000,
    answerTimeoutMs: options.answerTimeoutMs ?? 20_000,
    backoff: options.backoff ?? { lost: [500, 60_000], replaced: [10_000, 300_000] },
  }
  const unlinked = (route: Route): PairingDeps => ({
    clock,
    versions,
    passkey: options.passkey ?? network.kind === 'sandbox',
    // A getter, so that each connection has the newest version.
    get config() {
      return { ...baseConfig(network, route, keepAliveIntervalMs), recorder, version: versions.forLibrary }
    },
  })
  const onRoute = async <T>(proxy: Proxy | null | undefined, work: (deps: PairingDeps) => Promise<T>): Promise<T> => {
    const route = routeOf(proxy)
    return await work(unlinked(route)).finally(() => route.close())
  }
  return {
    pair: (request, onStep, signal) => onRoute(request.proxy, deps => pair(deps, request, onStep, signal)),
    discard: (device, signal) => onRoute(device.proxy, deps => discardDevice(deps, device, signal)),
    readOffline: (device, storage) => readOffline(device, storage, { ...session, route: routeOf(device.proxy) }),
    open: (device, storage, callbacks) =>
      openSession(device, storage, callbacks, { ...session, route: routeOf(device.proxy) }),
  }
}
