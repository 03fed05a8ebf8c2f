import type { Platform } from '../platform.ts'
import { discardDevice } from './pairing/discard.ts'
import { bindThread } from './engine/library.ts'
import { pair } from './pairing/pairing.ts'
import { openSession, readOffline } from './session.ts'
import { baseConfig, mediaRouteOf } from './engine/socket-config.ts'
import { removeAbandonedMedia } from './to-message/fetch-media.ts'
import type { WhatsAppOptions } from './whatsapp.ts'

/** The platform with the library loaded: everything from here on may import it. */
export function createPlatform(options: WhatsAppOptions): Platform {
  const { network, download } = options
  bindThread(network)
  void removeAbandonedMedia().catch(() => {})
  const mediaRoute = mediaRouteOf(network, options.mediaTimeoutMs ?? 60_000)
  const keepAliveIntervalMs = options.keepAliveIntervalMs ?? 15_000
  const session = {
    network,
    mediaRoute,
    download,
    keepAliveIntervalMs,
    ackTimeoutMs: options.ackTimeoutMs,
    stanzaTimeoutMs: options.stanzaTimeoutMs ?? 15_000,
    openTimeoutMs: options.openTimeoutMs ?? 45_000,
    backoff: options.backoff ?? { lost: [500, 60_000], replaced: [10_000, 300_000] },
  }
  return {
    pair: (request, onStep, signal) =>
      pair(baseConfig(network, mediaRoute, keepAliveIntervalMs), request, onStep, signal),
    discard: (device, signal) => discardDevice(baseConfig(network, mediaRoute, keepAliveIntervalMs), device, signal),
    readOffline: (device, storage) => readOffline(device, storage, session),
    open: (device, storage, callbacks) => openSession(device, storage, callbacks, session),
  }
}
