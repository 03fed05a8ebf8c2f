import { targetsOf } from '../context.ts'
import { followNodes, hearOfNodes } from '../follow-nodes.ts'
import type { PlatformName } from '../domain/session.ts'
import { createOutbound } from '../net/outbound.ts'
import { createOwnEndpoints } from '../net/own-endpoints.ts'
import type { Platform } from '../platform/platform.ts'
import { createWhatsApp, type WhatsAppNetwork } from '../platform/whatsapp/whatsapp.ts'
import type { Store } from '../store/store.ts'
import { makeClientVersions } from './client-versions.ts'
import type { HostParts } from './parts.ts'
import { withUploads } from './uploads.ts'

const DOWNLOAD_TIMEOUT_MS = 60_000
const LOOK_MS = 200

type SandboxParts = Pick<HostParts, 'clock'> & { store: Pick<Store, 'hosting'> }

/** The network that this thread serves, for good. */
export async function loadPlatform(
  parts: Pick<HostParts, 'clock' | 'config' | 'log' | 'seal'> & { store: Pick<Store, 'hosting' | 'nodes'> },
  name: PlatformName,
  signal: AbortSignal,
): Promise<Platform> {
  const { config } = parts
  const endpoints = createOwnEndpoints()
  await hearOfNodes({ ...parts, endpoints })
  void followNodes({ ...parts, endpoints }, signal)
  const policy = { ...targetsOf(config, endpoints, parts.clock), requireHttps: false }
  const outbound = createOutbound(policy, { clock: parts.clock, timeoutMs: DOWNLOAD_TIMEOUT_MS })
  const network: WhatsAppNetwork = name === 'sandbox' ? await findSandbox(parts, signal) : { kind: 'whatsapp' }
  const versions = makeClientVersions(parts, name, network)
  const platform = await createWhatsApp({
    clock: parts.clock,
    network,
    versions,
    download: name === 'sandbox' ? withUploads(parts, outbound.download) : outbound.download,
    ackTimeoutMs: config.ackTimeoutMs,
    ...recordingOf(parts, name),
    passkey: name === 'sandbox' || config.passkey,
  })
  void versions.follow(parts, signal)
  return platform
}

/** Whoever reads the log knows that it is written down, and which file is whose: the files themselves do not say. */
function recordingOf({ config, log }: Pick<HostParts, 'config' | 'log'>, network: PlatformName) {
  const { recordDir: folder } = config
  if (folder === null) return {}
  log.warn({ network, folder }, 'recording.on')
  const onFile = (session: string, file: string): void => log.info({ network, session, file }, 'recording.began')
  return { record: { folder, onFile } }
}

/** The sandbox network may start later than we do. */
async function findSandbox({ store, clock }: SandboxParts, signal: AbortSignal): Promise<WhatsAppNetwork> {
  while (!signal.aborted) {
    const address = await store.hosting.readSimulatorAddress()
    if (address !== undefined) return { kind: 'sandbox', ...address, rootKey: Buffer.from(address.rootKey) }
    await clock.sleep(LOOK_MS, signal)
  }
  throw new Error('stopped before the sandbox network was found')
}

/** Throws when the sandbox network has moved: the host is started anew with its new address. */
export async function watchSandbox(parts: SandboxParts, signal: AbortSignal): Promise<void> {
  const known = await parts.store.hosting.readSimulatorAddress()
  while (!signal.aborted) {
    await parts.clock.sleep(1_000, signal)
    const now = await parts.store.hosting.readSimulatorAddress().catch(() => known)
    if (now?.url !== known?.url || now?.mediaHost !== known?.mediaHost) throw new Error('the sandbox network has moved')
  }
}
