import { fromMarkdown } from './formatting.ts'
import type { AgentMessage } from './from-webhook.ts'

/** A message of an agent becomes one or more parts: a text, or a file with or without a caption. */
export interface Part {
  text?: string
  file?: { url: string; mediaType: string; filename: string | null }
}

/** Files with a caption in WhatsApp. The text of another file is a separate message before it. */
const CAPTIONED = ['image', 'video', 'document']
/** In characters; a character may count as two. */
const MAX_LENGTH = 32_768

export function messagePartsOf({ text, files }: Pick<AgentMessage, 'text' | 'files'>): Part[] {
  const words = [
    ...fromMarkdown(text)
      .trim()
      .matchAll(new RegExp(`[^]{1,${MAX_LENGTH}}`, 'gu')),
  ].map(([piece]) => piece)
  const parts: Part[] = files.map(({ url, type, filename }) => ({
    file: { url, mediaType: mediaTypeOf(type, filename), filename },
  }))
  const first = parts[0]
  if (words.length === 1 && first?.file !== undefined && CAPTIONED.includes(first.file.mediaType))
    return [{ ...first, text: words[0]! }, ...parts.slice(1)]
  return [...words.map(piece => ({ text: piece })), ...parts]
}

/** Some phones do not show pictures and videos of other formats, so these are sent as documents. */
function mediaTypeOf(type: string, filename: string | null): string {
  const extension = /\.(\w+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? ''
  if (type === 'image') return ['jpg', 'jpeg', 'png'].includes(extension) ? 'image' : 'document'
  if (type === 'video') return ['mp4', '3gp'].includes(extension) ? 'video' : 'document'
  if (type === 'audio') return ['ogg', 'oga', 'opus'].includes(extension) ? 'voice' : 'audio'
  return 'document'
}
