import type { GuardedDownload } from './fetch-media.ts'
import { getOwn } from '../../../runtime/get-own.ts'

export interface LinkPreview {
  matchedText: string
  title: string
  description: string
}

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 5_000
const MAX_TAG = 2_000
const MAX_TITLE = 300

/** Fetches title and description of the first link in a text. A page that cannot be fetched gives no preview. */
export async function previewOf(
  text: string,
  download: GuardedDownload,
  signal: AbortSignal,
): Promise<LinkPreview | undefined> {
  const url = /https?:\/\/[^\s<>"]+/.exec(text)?.[0]
  if (url === undefined) return undefined
  const page = await download({ url, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, signal })
  if (!page.ok) return undefined
  const chunks: Buffer[] = []
  try {
    for await (const chunk of page.body) chunks.push(chunk as Buffer)
  } catch {
    // The part before the failure may be enough for a title.
  }
  const html = Buffer.concat(chunks).toString()
  const title = meta(html, 'og:title') ?? titleOf(html)
  if (!title) return undefined
  const description = meta(html, 'og:description') ?? meta(html, 'description') ?? ''
  return { matchedText: url, title: decodeEntities(title), description: decodeEntities(description) }
}

function titleOf(html: string): string | undefined {
  for (const { end } of tags(html, 'title')) return html.slice(end + 1, end + 1 + MAX_TITLE).split('<', 1)[0]
  return undefined
}

function meta(html: string, name: string): string | undefined {
  const named = new RegExp(`(?:property|name)=["']${name}["']`, 'i')
  for (const { tag } of tags(html, 'meta')) {
    if (named.test(tag)) return /content=(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).find(Boolean)
  }
  return undefined
}

/** The tags of a page in one pass: the page is untrusted, so no pattern may scan it repeatedly. */
function* tags(html: string, name: string): Generator<{ tag: string; end: number }> {
  const begins = new RegExp(`<${name}\\b`, 'gi')
  for (let found = begins.exec(html); found; found = begins.exec(html)) {
    const end = html.indexOf('>', found.index)
    if (end === -1) return
    if (end - found.index <= MAX_TAG) yield { tag: html.slice(found.index, end), end }
    begins.lastIndex = end
  }
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function decodeEntities(text: string): string {
  return text
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return getOwn(NAMED, (name as string).toLowerCase()) ?? whole
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
    })
    .trim()
}
