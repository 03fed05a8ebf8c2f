import type { Static } from 'typebox'
import { Type } from './type.ts'
import type { Context } from '../context.ts'
import { type PlatformVersion, versionsInUse, versionText } from '../domain/client-version.ts'
import type { Store } from '../store/store.ts'
import { DescribedTime, iso, isoOrNull, Nullable, Strict } from './schemas.ts'

type Deps = Pick<Context, 'config' | 'clock'> & { store: Pick<Store, 'platformVersions'> }

export const platformVersionSchema = Strict({
  platform: Type.String(),
  version: Type.String(),
  source: Type.String({
    description:
      'Where the gateway found this version. `page`: on the page of the platform. `fallback`: in a public list of versions. `built_in`: in its own library, because it knows no newer one. `pinned`: in POSTERN_WHATSAPP_VERSION.',
  }),
  learnt_at: DescribedTime('When the gateway found this version. For a built-in version: when it was released.'),
  confirmed_at: Nullable(DescribedTime('When a source last named this version. Null if no source has named it.')),
  expires_at: Nullable(
    DescribedTime('When the platform stops accepting this version. Null if the platform has not announced it.'),
  ),
})

export async function readVersionsInUse({ store, config, clock }: Deps): Promise<PlatformVersion[]> {
  return versionsInUse(await store.platformVersions.listVersions(), config.whatsappRevision, clock.now().getTime())
}

export const showVersion = (version: PlatformVersion): Static<typeof platformVersionSchema> => ({
  platform: version.platform,
  version: versionText(version.revision),
  source: version.source,
  learnt_at: iso(version.learntAtMs),
  confirmed_at: isoOrNull(version.confirmedAtMs),
  expires_at: isoOrNull(version.expiresAtMs),
})

/** Sets the gauges, which are the same on all nodes; without a database they keep their values. */
export async function gaugeVersions(deps: Deps & Pick<Context, 'metrics'>): Promise<void> {
  const versions = await readVersionsInUse(deps).catch(() => undefined)
  if (versions === undefined) return
  const { versionInfo, versionAge } = deps.metrics
  const nowMs = deps.clock.now().getTime()
  versionInfo.reset()
  versionAge.reset()
  for (const { platform, revision, source: learntFrom, learntAtMs } of versions) {
    const source = platform === 'sandbox' ? platform : learntFrom
    versionInfo.set({ version: versionText(revision), source }, 1)
    versionAge.set({ source }, Math.max(0, (nowMs - learntAtMs) / 1000))
  }
}
