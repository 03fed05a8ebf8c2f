import type { BinaryNode } from '@postern/simulator/wire/node'
import { encodeBinaryNode, jidDecode, jidEncode } from 'baileys'

/** Duplicate attributes before those that count: readers use the last. */
const doubled = new WeakMap<BinaryNode['attrs'], ReadonlyArray<readonly [string, string]>>()

export function withDoubled(stanza: BinaryNode, more: ReadonlyArray<readonly [string, string]>): BinaryNode {
  const attrs = { ...stanza.attrs }
  doubled.set(attrs, more)
  return { ...stanza, attrs }
}

/**
 * Encodes a stanza as a server may: also with words that the library's own encoder interprets differently, and with a
 * duplicate attribute. The library encodes ordinary ones.
 */
export function encodeStanza(stanza: BinaryNode): Buffer {
  if (isOrdinary(stanza)) return encodeBinaryNode(stanza)
  const bytes: Buffer[] = [Buffer.from([0])]
  writeNode(bytes, stanza)
  return Buffer.concat(bytes)
}

function isOrdinary({ tag, attrs, content }: BinaryNode): boolean {
  if (doubled.has(attrs) || ![tag, ...Object.entries(attrs).flat()].every(isOrdinaryText)) return false
  if (typeof content === 'string') return isOrdinaryText(content)
  return !Array.isArray(content) || content.every(isOrdinary)
}

/** Bytes that are not text, in a word: each as an unpaired surrogate, which no text has. */
export function brokenWord(bytes: Uint8Array): string {
  return Array.from(bytes, byte => (byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(BROKEN + byte))).join(
    '',
  )
}

const BROKEN = 0xdc00
const HALF = /\p{Surrogate}/u

function bytesOf(word: string): Buffer {
  if (!HALF.test(word)) return Buffer.from(word)
  return Buffer.concat(
    Array.from(word, each => (HALF.test(each) ? Buffer.from([each.charCodeAt(0) - BROKEN]) : Buffer.from(each))),
  )
}

function isOrdinaryText(text: string): boolean {
  if (HALF.test(text)) return false
  if (text in Object.prototype) return false
  const jid = text.includes('@') ? jidDecode(text) : undefined
  if (jid === undefined) return true
  return !text.endsWith('@') && (jid.device ?? 0) < 256 && jidEncode(jid.user, jid.server, jid.device) === text
}

function writeNode(bytes: Buffer[], { tag, attrs, content }: BinaryNode): void {
  const pairs = [...(doubled.get(attrs) ?? []), ...Object.entries(attrs)]
  writeList(bytes, 1 + 2 * pairs.length + (content === undefined ? 0 : 1))
  writeBytes(bytes, bytesOf(tag))
  for (const text of pairs.flat()) writeBytes(bytes, bytesOf(text))
  if (content === undefined) return
  if (!Array.isArray(content)) return writeBytes(bytes, Buffer.from(content as string))
  writeList(bytes, content.length)
  for (const child of content) writeNode(bytes, child)
}

const LIST_EMPTY = 0
const LIST_8 = 248
const LIST_16 = 249
const BINARY_8 = 252
const BINARY_20 = 253
const BINARY_32 = 254

function writeList(bytes: Buffer[], size: number): void {
  if (size === 0) bytes.push(Buffer.from([LIST_EMPTY]))
  else bytes.push(Buffer.from(size < 256 ? [LIST_8, size] : [LIST_16, size >> 8, size & 255]))
}

function writeBytes(bytes: Buffer[], value: Buffer): void {
  const { length } = value
  if (length < 256) bytes.push(Buffer.from([BINARY_8, length]))
  else if (length < 1 << 20) bytes.push(Buffer.from([BINARY_20, length >> 16, (length >> 8) & 255, length & 255]))
  else bytes.push(Buffer.from([BINARY_32, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255]))
  bytes.push(value)
}
