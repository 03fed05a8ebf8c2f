import { decodeEntities } from './html-entities.ts'
import type { GuardedDownload } from './fetch-media.ts'

export interface LinkPreview {
  matchedText: string
  title: string
  description: string
}

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 5_000

/** Looks up title and description of the first link in a text. A page that cannot be had gives no preview. */
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
    // What came before the cut is enough for a title.
  }
  const html = Buffer.concat(chunks).toString()
  const title = meta(html, 'og:title') ?? /<title[^>]*>([^<]{1,300})/i.exec(html)?.[1]
  if (!title) return undefined
  const description = meta(html, 'og:description') ?? meta(html, 'description') ?? ''
  return { matchedText: url, title: decodeEntities(title), description: decodeEntities(description) }
}

function meta(html: string, name: string): string | undefined {
  const tag = new RegExp(`<meta[^>]{0,200}(?:property|name)=["']${name}["'][^>]{0,1000}>`, 'i').exec(html)?.[0]
  return tag === undefined ? undefined : /content=(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).find(Boolean)
}
