import type { Platform } from '../platform.ts'
import type { WhatsAppNetwork } from './engine/library.ts'
import type { WhatsAppOptions } from './options.ts'

/**
 * WhatsApp, real or simulated, behind the port. A thread serves one of the two for good. The library is loaded here
 * and not before, so that processes without numbers stay small.
 */
export async function createWhatsApp(options: WhatsAppOptions): Promise<Platform> {
  const { createPlatform } = await import('./create-platform.ts')
  return createPlatform(options)
}

export type { WhatsAppNetwork }
