import { text } from 'node:stream/consumers'
import type { Clock } from '../../../runtime/clock.ts'
import { isPlausible, revisionOf, type VersionSource } from '../../../domain/client-version.ts'
import { createTargetPolicy, parseRanges } from '../../../net/address-guard.ts'
import { createOutbound } from '../../../net/outbound.ts'
import type { Download, DownloadRequest } from '../../../net/fetch.ts'
import type { WhatsAppNetwork } from '../engine/library.ts'

/** A version that a source names. */
export interface NamedVersion {
  revision: number
  source: VersionSource
}

export interface VersionAnswer {
  /** A version beyond the given one, otherwise that of the first source; `undefined` if no source named one. */
  named: NamedVersion | undefined
  /** Why sources named none. */
  failures: string[]
}

/** Queries the sources in turn, until one names a revision beyond this one. */
export type QueryVersion = (beyond: number) => Promise<VersionAnswer>

interface Source {
  name: VersionSource
  url: string
  headers?: Record<string, string>
  read(body: string): number | undefined
}

/** The platform serves another page to clients that do not look like a browser. */
const AS_BROWSER = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'sec-fetch-site': 'none',
}
const MAX_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 10_000

/** The page that browsers load, and a public list of its versions. The sandbox has its own of both. */
function sourcesOf(network: WhatsAppNetwork): Source[] {
  const [page, list] =
    network.kind === 'whatsapp'
      ? ['https://web.whatsapp.com', 'https://raw.githubusercontent.com/wppconnect-team/wa-version/main']
      : [`https://${network.mediaHost}`, `https://${network.mediaHost}/wa-version`]
  return [
    { name: 'page', url: `${page}/sw.js`, headers: AS_BROWSER, read: revisionOnPage },
    { name: 'fallback', url: `${list}/versions.json`, read: revisionInList },
  ]
}

/** Queries the sandbox only at its own address and with its own certificate authority, the platform at public ones. */
export function createVersionQuery(network: WhatsAppNetwork, clock: Clock): QueryVersion {
  const hosts = network.kind === 'sandbox' ? [`${new URL(`https://${network.mediaHost}`).hostname}/32`] : []
  const policy = createTargetPolicy({ clock, requireHttps: true, allowedRanges: parseRanges(hosts) })
  const authorities = network.kind === 'sandbox' ? { certificateAuthorities: [network.mediaCa] } : {}
  const outbound = createOutbound(policy, { clock, timeoutMs: TIMEOUT_MS, ...authorities })
  return beyond => querySources(sourcesOf(network), outbound.download, clock.now().getTime(), beyond)
}

async function querySources(
  sources: Source[],
  download: (request: DownloadRequest) => Promise<Download>,
  nowMs: number,
  beyond: number,
): Promise<VersionAnswer> {
  const failures: string[] = []
  let named: NamedVersion | undefined
  for (const source of sources) {
    const answer = await querySource(source, download, nowMs)
    if (typeof answer === 'string') failures.push(`${source.name}: ${answer}`)
    else if (named === undefined || answer > beyond) named = { revision: answer, source: source.name }
    if (named !== undefined && named.revision > beyond) break
  }
  return { named, failures }
}

/** Returns the revision, or the reason why there is none. */
async function querySource(
  { url, headers, read }: Source,
  download: (request: DownloadRequest) => Promise<Download>,
  nowMs: number,
): Promise<number | string> {
  const answer = await download({ url, maxBytes: MAX_BYTES, ...(headers && { headers }) })
  if (!answer.ok) return answer.failure.text
  const body = await text(answer.body).catch((error: unknown) => error as Error)
  if (typeof body !== 'string') return body.message
  const revision = read(body)
  if (revision === undefined) return 'the answer names no version'
  return isPlausible(revision, nowMs) ? revision : `the version ${revision} cannot be right`
}

/** The client revision on a page of the platform, also if it is inside a quoted string. */
export function revisionOnPage(page: string): number | undefined {
  const revision = /\bclient_revision\\?"\s*:\s*(\d{10})(?!\d)/.exec(page)?.[1]
  return revision === undefined ? undefined : Number(revision)
}

/** The newest revision of the list of versions that wa-version publishes. */
export function revisionInList(list: string): number | undefined {
  const current = readJson(list)?.currentVersion
  return typeof current === 'string' ? revisionOf(current.replace(/-alpha$/, '')) : undefined
}

function readJson(text: string): { currentVersion?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
