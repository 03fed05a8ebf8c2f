import { fromMarkdown } from './formatting.ts'
import type { Written } from './from-webhook.ts'

/** One message of several that what somebody wrote becomes: a text, or a file with or without words. */
export interface Part {
  text?: string
  file?: { url: string; mediaType: string; filename: string | null }
}

/** Files that WhatsApp shows words below; for the others they are a message of their own, ahead of them. */
const CAPTIONED = ['image', 'video', 'document']
/** In characters, of which one may count for two. */
const LONGEST = 32_768

export function partsOf({ text, files }: Pick<Written, 'text' | 'files'>): Part[] {
  const words = [
    ...fromMarkdown(text)
      .trim()
      .matchAll(new RegExp(`[^]{1,${LONGEST}}`, 'gu')),
  ].map(([piece]) => piece)
  const parts: Part[] = files.map(({ url, type, filename }) => ({
    file: { url, mediaType: mediaTypeOf(type, filename), filename },
  }))
  const first = parts[0]
  if (words.length === 1 && first?.file !== undefined && CAPTIONED.includes(first.file.mediaType))
    return [{ ...first, text: words[0]! }, ...parts.slice(1)]
  return [...words.map(piece => ({ text: piece })), ...parts]
}

/** Pictures and videos of other formats than these are not shown by every phone: they go as files. */
function mediaTypeOf(type: string, filename: string | null): string {
  const extension = /\.(\w+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? ''
  if (type === 'image') return ['jpg', 'jpeg', 'png'].includes(extension) ? 'image' : 'document'
  if (type === 'video') return ['mp4', '3gp'].includes(extension) ? 'video' : 'document'
  if (type === 'audio') return ['ogg', 'oga', 'opus'].includes(extension) ? 'voice' : 'audio'
  return 'document'
}
