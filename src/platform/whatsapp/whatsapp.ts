import type { Platform } from '../platform.ts'
import type { WhatsAppNetwork } from './engine/library.ts'
import type { WhatsAppOptions } from './options.ts'
import { type QueryVersion, createVersionQuery } from './version/query-version.ts'
import { ClientVersions } from './version/client-versions.ts'

/**
 * WhatsApp, real or simulated. A thread serves one of the two permanently. The library is loaded here and not before,
 * so that processes without numbers stay small.
 */
export async function createWhatsApp(options: WhatsAppOptions): Promise<Platform> {
  const { clock, network } = options
  const versions = options.versions ?? new ClientVersions({ clock, query: sandboxVersionQuery(network, clock) })
  const [{ createPlatform }] = await Promise.all([import('./create-platform.ts'), versions.ready()])
  return createPlatform({ ...options, versions })
}

/** The real platform is queried for its version only if the caller passes `versions`. */
const sandboxVersionQuery = (network: WhatsAppNetwork, clock: WhatsAppOptions['clock']): QueryVersion =>
  network.kind === 'sandbox' ? createVersionQuery(network, clock) : async () => ({ named: undefined, failures: [] })

export type { WhatsAppNetwork }
