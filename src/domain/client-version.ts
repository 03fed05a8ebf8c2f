import type { PlatformName } from './session.ts'

/** Where a version of the platform's web client was found. */
export type VersionSource = 'pinned' | 'page' | 'fallback' | 'built_in'

/** A version of the web client that the gateway logs in as: `2.3000.` and a revision that grows. */
export interface ClientVersion {
  revision: number
  source: VersionSource
  /** When it was found; for the built-in version, when it was released. */
  learntAtMs: number
  /** When a source named it last; `null` if no source has. */
  confirmedAtMs: number | null
  /** From when on the platform rejects it, if the platform has announced that. */
  expiresAtMs: number | null
}

/** The newest version that was known at the release. The gateway never uses an older one. */
export const BUILT_IN: ClientVersion = {
  revision: 1_045_798_079,
  source: 'built_in',
  learntAtMs: Date.UTC(2026, 7, 22),
  confirmedAtMs: null,
  expiresAtMs: null,
}

const PATTERN = /^2\.3000\.(\d{10})$/

export const versionText = (revision: number): string => `2.3000.${revision}`

/** `undefined` if the text does not look like `2.3000.1043857760`. */
export function revisionOf(text: string): number | undefined {
  const revision = PATTERN.exec(text)?.[1]
  return revision === undefined ? undefined : Number(revision)
}

const DAY_MS = 86_400_000
/** Some 65,000 revisions a day are usual. */
const MAX_PER_DAY = 200_000
const LEEWAY_DAYS = 14

/** Whether a source can be right: the gateway hardly ever goes back to an older version, so an absurd value would stay. */
export function isPlausible(revision: number, nowMs: number): boolean {
  const days = Math.max(0, (nowMs - BUILT_IN.learntAtMs) / DAY_MS) + LEEWAY_DAYS
  return revision >= 1_000_000_000 && revision <= BUILT_IN.revision + days * MAX_PER_DAY
}

/** The age at which a version may soon be rejected: the earliest 405 that was reported came after 77 days. */
const OLD_MS = 45 * DAY_MS

export const isOld = ({ learntAtMs }: Pick<ClientVersion, 'learntAtMs'>, nowMs: number): boolean =>
  nowMs - learntAtMs > OLD_MS

export type PlatformVersion = ClientVersion & { platform: PlatformName }

/** The versions that numbers log in with now, one for each network that has hosted numbers. */
export function versionsInUse(known: PlatformVersion[], pin: number | null, nowMs: number): PlatformVersion[] {
  const newest = new Map<PlatformName, PlatformVersion>()
  for (const version of known) {
    const before = newest.get(version.platform)
    if (version.source !== 'pinned' && version.revision > (before?.revision ?? 0)) newest.set(version.platform, version)
  }
  if (pin !== null) {
    const seen = known.find(({ platform, revision }) => platform === 'whatsapp' && revision === pin)
    const fresh = { ...BUILT_IN, platform: 'whatsapp', revision: pin, learntAtMs: nowMs } as const
    newest.set('whatsapp', { ...(seen ?? fresh), source: 'pinned' })
  }
  return [...newest.values()].sort((a, b) => (a.platform < b.platform ? 1 : -1))
}
