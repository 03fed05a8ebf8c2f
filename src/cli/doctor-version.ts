import { systemClock } from '../runtime/clock.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Context } from '../context.ts'
import { BUILT_IN, isOld, type PlatformVersion, versionsInUse, versionText } from '../domain/client-version.ts'
import { getOwn } from '../runtime/get-own.ts'
import { fetchGateway, localOrigin } from './fetch-gateway.ts'
import { withStore } from './operator-client.ts'
import { Secret } from '../boot/untrusted-address.ts'

interface ShownVersion {
  platform: string
  version: string
  source: string
  learnt_at: string
  expires_at: string | null
}

/** The command cannot see what it should check. */
export class Unseen extends Error {}

const DAY_MS = 86_400_000
const LEARNT: Record<PlatformVersion['source'], string> = {
  pinned: 'set by POSTERN_WHATSAPP_VERSION',
  page: 'from WhatsApp’s own page',
  fallback: 'from the list of wa-version',
  built_in: 'built in',
}
const CURE =
  'WhatsApp rejects versions that are some months old: let this machine reach https://web.whatsapp.com, or set POSTERN_WHATSAPP_VERSION to the version that a browser has today.'

/** The version of WhatsApp Web with which real numbers log in. Throws if WhatsApp will reject it soon. */
export async function versionInUse(env: NodeJS.ProcessEnv, config: Config, isRunning: boolean): Promise<string> {
  const version = isRunning ? await readRunning(config, env) : await withStore(env, readStored)
  if (version === 'unknown') throw new Unseen('unknown: set POSTERN_OPERATOR_TOKEN to see it')
  if (version === undefined)
    return `${versionText(BUILT_IN.revision)} is built in; the gateway looks for a newer one when the first number is linked`
  const nowMs = systemClock.now().getTime()
  const learntAtMs = Date.parse(version.learnt_at)
  const days = Math.floor((nowMs - learntAtMs) / DAY_MS)
  const expiry = version.expires_at === null ? '' : `; WhatsApp accepts it until ${version.expires_at}`
  const says = `${version.version}, ${getOwn(LEARNT, version.source) ?? version.source}, known for ${days} days${expiry}`
  if (isOld({ learntAtMs }, nowMs) || version.expires_at !== null) throw new ConfigError(`${says}. ${CURE}`)
  return says
}

async function readStored({ store, config, clock }: Context): Promise<ShownVersion | undefined> {
  const used = versionsInUse(
    await store.platformVersions.listVersions(),
    config.whatsappRevision,
    clock.now().getTime(),
  )
  const version = used.find(({ platform }) => platform === 'whatsapp')
  return (
    version && {
      ...version,
      version: versionText(version.revision),
      learnt_at: new Date(version.learntAtMs).toISOString(),
      expires_at: version.expiresAtMs === null ? null : new Date(version.expiresAtMs).toISOString(),
    }
  )
}

/** The overview of the gateway that runs at `POSTERN_HOST`; `null` without the operator's token. */
export async function overviewOf<T>(config: Config, env: NodeJS.ProcessEnv): Promise<T | null | undefined> {
  const url = localOrigin(config)
  const headers = Secret.of(env, 'POSTERN_OPERATOR_TOKEN')?.bearer({ url, from: 'POSTERN_HOST' })
  if (headers === undefined) return null
  const answer = await fetchGateway(`${url}/operator/overview`, headers)
  return (await answer?.json().catch(() => undefined)) as T | undefined
}

async function readRunning(config: Config, env: NodeJS.ProcessEnv): Promise<ShownVersion | 'unknown' | undefined> {
  const body = await overviewOf<{ platform_versions?: ShownVersion[] }>(config, env)
  if (body?.platform_versions === undefined) return 'unknown'
  return body.platform_versions.find(({ platform }) => platform === 'whatsapp')
}
