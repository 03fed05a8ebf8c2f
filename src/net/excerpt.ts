import { getOwn } from '../runtime/get-own.ts'

/** How much of a response is kept. */
export const EXCERPT_BYTES = 1024

const unreadable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u
const shortEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * The beginning of a response as text that is safe to store and to show: at most 1 KB, with invalid UTF-8 as U+FFFD, and
 * control and invisible characters as escapes.
 */
export function excerptOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  const cut = bytes.length > EXCERPT_BYTES
  // A character that the cut splits is left out instead of shown as broken.
  const text = cut ? firstOf(bytes) : whole.decode(bytes)
  if (!unreadable.test(text) && Buffer.byteLength(text) <= EXCERPT_BYTES) return text
  let excerpt = ''
  let size = 0
  for (const character of text) {
    const shown = unreadable.test(character) ? escaped(character) : character
    size += Buffer.byteLength(shown)
    if (size > EXCERPT_BYTES) break
    excerpt += shown
  }
  return excerpt
}

const whole = new TextDecoder('utf-8', { ignoreBOM: true })

const firstOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, EXCERPT_BYTES), { stream: true })

function escaped(character: string): string {
  const short = getOwn(shortEscapes, character)
  if (short) return short
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
}
