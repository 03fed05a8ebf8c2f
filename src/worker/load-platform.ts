import { targetsOf } from '../context.ts'
import { watchCluster, readCluster } from '../maintenance/cluster-watch.ts'
import type { PlatformName } from '../domain/session.ts'
import { createOutbound } from '../net/outbound.ts'
import { createOwnEndpoints } from '../net/own-endpoints.ts'
import { createTunnels } from '../net/proxy.ts'
import type { Platform } from '../platform/platform.ts'
import { createWhatsApp, type WhatsAppNetwork } from '../platform/whatsapp/whatsapp.ts'
import { onBeat } from '../runtime/repeating-task.ts'
import type { Semaphore } from '../runtime/semaphore.ts'
import type { Store } from '../store/store.ts'
import type { HostDeps } from './deps.ts'
import { withMedia, withUploads } from './uploads.ts'
import { versionText } from '../domain/client-version.ts'
import { createVersionQuery } from '../platform/whatsapp/version/query-version.ts'
import { ClientVersions, type VersionEvent } from '../platform/whatsapp/version/client-versions.ts'

const DOWNLOAD_TIMEOUT_MS = 60_000
const POLL_MS = 200
const WATCH_MS = 2_000

type SandboxDeps = Pick<HostDeps, 'clock'> & { store: Pick<Store, 'simulator'> }

/** The network that this thread serves. */
export async function loadPlatform(
  deps: Pick<HostDeps, 'clock' | 'config' | 'log' | 'mediaFiles' | 'seal'> & {
    store: Pick<Store, 'media' | 'nodes' | 'platformVersions' | 'signals' | 'simulator' | 'uploads'>
  },
  name: PlatformName,
  suspects: Semaphore,
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
    download: withMedia(deps, name === 'sandbox' ? withUploads(deps, outbound.download) : outbound.download),
    openTunnel: createTunnels(policy, deps.clock),
    ackTimeoutMs: config.ackTimeoutMs,
    checksPerDay: config.checksPerDay,
    ffmpeg: config.ffmpeg,
    suspects,
    ...recordingOf(deps, name),
    passkey: name === 'sandbox' || config.passkey,
  })
  void versions.follow(deps, signal)
  return platform
}

/** Logs that stanzas are recorded, and which file belongs to which number: the files do not name it. */
function recordingOf({ config, log }: Pick<HostDeps, 'config' | 'log'>, network: PlatformName) {
  const { recordDir: folder } = config
  if (folder === null) return {}
  log.warn({ network, folder }, 'recording.enabled')
  const onFile = (session: string, file: string): void => log.info({ network, session, file }, 'recording.started')
  return { record: { folder, onFile } }
}

/** The sandbox network may start after this process. */
async function findSandbox({ store, clock }: SandboxDeps, signal: AbortSignal): Promise<WhatsAppNetwork> {
  while (!signal.aborted) {
    const address = await store.simulator.readSimulatorAddress()
    if (address !== undefined) return { kind: 'sandbox', ...address, rootKey: Buffer.from(address.rootKey) }
    await clock.sleep(POLL_MS, signal)
  }
  throw new Error('stopped before the sandbox network was found')
}

/** Throws when the sandbox network has moved: the worker restarts the host with the new address. */
export async function watchSandbox(deps: SandboxDeps, signal: AbortSignal): Promise<void> {
  const known = await deps.store.simulator.readSimulatorAddress()
  while (!signal.aborted) {
    await deps.clock.sleep(onBeat(WATCH_MS, deps.clock.monotonicMs()), signal)
    const now = await deps.store.simulator.readSimulatorAddress().catch(() => known)
    if (now?.url !== known?.url || now?.mediaHost !== known?.mediaHost) throw new Error('the sandbox network has moved')
  }
}

type Deps = Pick<HostDeps, 'clock' | 'config' | 'log'> & { store: Pick<Store, 'platformVersions'> }

/** The versions of a network's web client, shared by all processes through the store. */
function makeClientVersions(deps: Deps, platform: PlatformName, network: WhatsAppNetwork): ClientVersions {
  const { clock, config, log, store } = deps
  return new ClientVersions({
    clock,
    query: createVersionQuery(network, clock),
    pin: platform === 'whatsapp' ? config.whatsappRevision : null,
    memory: {
      read: () => store.platformVersions.readVersion(platform),
      keep: version => store.platformVersions.keepVersion({ platform, ...version }),
      forget: revision => store.platformVersions.forgetVersion({ platform, revision }),
    },
    onEvent: event => logVersion(log, platform, event),
  })
}

function logVersion(log: Deps['log'], platform: PlatformName, event: VersionEvent): void {
  const { revision, source, learntAtMs, expiresAtMs } = event.version
  const used = { platform, version: versionText(revision), source, learnt_at: new Date(learntAtMs).toISOString() }
  if (event.kind === 'not_learnt') log.warn({ ...used, reasons: event.failures }, 'version.learn_failed')
  else if (event.kind === 'learnt') log.info(used, 'version.learnt')
  else log.warn({ ...used, expires_at: expiresAtMs && new Date(expiresAtMs).toISOString() }, 'version.expiring')
}
