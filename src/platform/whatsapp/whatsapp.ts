import type { Clock } from '../../clock.ts'
import type { Platform } from '../platform.ts'
import type { WhatsAppNetwork } from './engine/library.ts'
import type { Backoff } from './link/backoff.ts'
import type { GuardedDownload } from './to-message/fetch-media.ts'

export interface WhatsAppOptions {
  clock: Clock
  network: WhatsAppNetwork
  /** Fetches media from addresses that customers chose: `download` of an Outbound with room for 64 MB. */
  download: GuardedDownload
  /** How long a send waits for the platform's ack (POSTERN_ACK_TIMEOUT). */
  ackTimeoutMs: number
  /** How often the link is tried; a dead one is found within three times that. */
  keepAliveIntervalMs?: number
  /** How long the library may take over one received message before the link is ended. */
  stanzaTimeoutMs?: number
  openTimeoutMs?: number
  /** How long a received file may take, every try of it together; its message is told without it then. */
  mediaTimeoutMs?: number
  backoff?: Backoff
}

/**
 * WhatsApp, real or simulated, behind the port. A thread serves one of the two for good. The library is loaded here
 * and not before, so that processes without numbers stay small.
 */
export async function createWhatsApp(options: WhatsAppOptions): Promise<Platform> {
  const { createPlatform } = await import('./create-platform.ts')
  return createPlatform(options)
}

export type { WhatsAppNetwork }
