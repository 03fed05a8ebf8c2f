import { targetsOf } from '../context.ts'
import { watchCluster, readCluster } from '../maintenance/cluster-watch.ts'
import type { PlatformName } from '../domain/session.ts'
import { createOutbound } from '../net/outbound.ts'
import { createOwnEndpoints } from '../net/own-endpoints.ts'
import type { Platform } from '../platform/platform.ts'
import { createWhatsApp, type WhatsAppNetwork } from '../platform/whatsapp/whatsapp.ts'
import type { Store } from '../store/store.ts'
import { makeClientVersions } from './client-versions.ts'
import type { HostDeps } from './deps.ts'
import { withUploads } from './uploads.ts'

const DOWNLOAD_TIMEOUT_MS = 60_000
const LOOK_MS = 200

type SandboxDeps = Pick<HostDeps, 'clock'> & { store: Pick<Store, 'simulator'> }

/** The network that this thread serves, for good. */
export async function loadPlatform(
  deps: Pick<HostDeps, 'clock' | 'config' | 'log' | 'seal'> & {
    store: Pick<Store, 'nodes' | 'platformVersions' | 'simulator' | 'uploads'>
  },
  name: PlatformName,
  signal: AbortSignal,
): Promise<Platform> {
  const { config } = deps
  const endpoints = createOwnEndpoints()
  await readCluster({ ...deps, endpoints })
  void watchCluster({ ...deps, endpoints }, signal)
  const policy = { ...targetsOf(config, endpoints, deps.clock), requireHttps: false }
  const outbound = createOutbound(policy, { clock: deps.clock, timeoutMs: DOWNLOAD_TIMEOUT_MS })
  const network: WhatsAppNetwork = name === 'sandbox' ? await findSandbox(deps, signal) : { kind: 'whatsapp' }
  const versions = makeClientVersions(deps, name, network)
  const platform = await createWhatsApp({
    clock: deps.clock,
    network,
    versions,
    download: name === 'sandbox' ? withUploads(deps, outbound.download) : outbound.download,
    ackTimeoutMs: config.ackTimeoutMs,
    ...recordingOf(deps, name),
    passkey: name === 'sandbox' || config.passkey,
  })
  void versions.follow(deps, signal)
  return platform
}

/** Whoever reads the log knows that it is written down, and which file is whose: the files themselves do not say. */
function recordingOf({ config, log }: Pick<HostDeps, 'config' | 'log'>, network: PlatformName) {
  const { recordDir: folder } = config
  if (folder === null) return {}
  log.warn({ network, folder }, 'recording.on')
  const onFile = (session: string, file: string): void => log.info({ network, session, file }, 'recording.began')
  return { record: { folder, onFile } }
}

/** The sandbox network may start later than we do. */
async function findSandbox({ store, clock }: SandboxDeps, signal: AbortSignal): Promise<WhatsAppNetwork> {
  while (!signal.aborted) {
    const address = await store.simulator.readSimulatorAddress()
    if (address !== undefined) return { kind: 'sandbox', ...address, rootKey: Buffer.from(address.rootKey) }
    await clock.sleep(LOOK_MS, signal)
  }
  throw new Error('stopped before the sandbox network was found')
}

/** Throws when the sandbox network has moved: the host is started anew with its new address. */
export async function watchSandbox(deps: SandboxDeps, signal: AbortSignal): Promise<void> {
  const known = await deps.store.simulator.readSimulatorAddress()
  while (!signal.aborted) {
    await deps.clock.sleep(1_000, signal)
    const now = await deps.store.simulator.readSimulatorAddress().catch(() => known)
    if (now?.url !== known?.url || now?.mediaHost !== known?.mediaHost) throw new Error('the sandbox network has moved')
  }
}
