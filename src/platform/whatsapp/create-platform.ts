import type { Platform } from '../platform.ts'
import { bindThread } from './library.ts'
import { pair } from './pairing.ts'
import { openSession } from './session.ts'
import { baseConfig, mediaRouteOf } from './socket-config.ts'
import type { WhatsAppOptions } from './whatsapp.ts'

/** The platform with the library loaded: everything from here on may import it. */
export function createPlatform(options: WhatsAppOptions): Platform {
  const { network, download } = options
  bindThread(network)
  const mediaRoute = mediaRouteOf(network)
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
    open: (device, storage, callbacks) => openSession(device, storage, callbacks, session),
  }
}
