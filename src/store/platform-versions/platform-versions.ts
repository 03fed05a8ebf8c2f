import type { PlatformVersion } from '../../domain/client-version.ts'
import type { PlatformName } from '../../domain/session.ts'
import type { Reader, Tx } from '../transaction.ts'

/** Versions kept for each platform, to see when each became known. */
const KEPT = 50

/** Stores a version. A known one keeps its time, and its source unless that was the operator's setting. */
export async function keepVersion(tx: Tx, { platform, ...version }: PlatformVersion): Promise<void> {
  await tx.insert(
    'platform_versions',
    [
      {
        platform,
        revision: version.revision,
        source: version.source,
        learnt_at: version.learntAtMs,
        confirmed_at: version.confirmedAtMs,
        expires_at: version.expiresAtMs,
      },
    ],
    `on conflict (platform, revision) do update set
       source = case when excluded.source in (${NO_SOURCES}) then platform_versions.source else excluded.source end,
       confirmed_at = coalesce(excluded.confirmed_at, platform_versions.confirmed_at), expires_at = excluded.expires_at`,
  )
  await tx.run(
    `delete from platform_versions where platform = ? and revision < (
       select min(revision) from (
         select revision from platform_versions where platform = ? order by revision desc limit ${KEPT}) newest)`,
    platform,
    platform,
  )
}

type NamedVersion = Pick<PlatformVersion, 'platform' | 'revision'>

export async function forgetVersion(tx: Tx, { platform, revision }: NamedVersion): Promise<void> {
  await tx.run('delete from platform_versions where platform = ? and revision = ?', platform, revision)
}

const NO_SOURCES = `'pinned', 'built_in'`

const COLUMNS = `platform, revision, source, learnt_at as "learntAtMs", confirmed_at as "confirmedAtMs",
  expires_at as "expiresAtMs"`

/** The newest version that a process has learnt. */
export async function readVersion(reader: Reader, platform: PlatformName): Promise<PlatformVersion | undefined> {
  return await reader.get<PlatformVersion>(
    `select ${COLUMNS} from platform_versions where platform = ? and source <> 'pinned' order by revision desc limit 1`,
    platform,
  )
}

/** All stored versions, newest first. */
export async function listVersions(reader: Reader): Promise<PlatformVersion[]> {
  return await reader.all<PlatformVersion>(`select ${COLUMNS} from platform_versions order by platform, revision desc`)
}
