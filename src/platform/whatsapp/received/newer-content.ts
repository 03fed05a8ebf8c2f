import { proto } from 'baileys'

/**
 * Fields of a message that came after the library's list, by the number of an older field of the same shape, under
 * which the library reads them. Contents in an envelope that it does not open are in one that it does.
 */
const READ_AS: ReadonlyMap<number, number> = new Map([
  [62, 40],
  [95, 40],
  [101, 40],
  [104, 40],
  [106, 40],
  [115, 114],
  [116, 40],
  [118, 40],
  [119, 111],
  [126, 40],
  [131, 40],
])

/** Where messages hold a message: the number of the field, and that of the message within it. */
const ENVELOPES: ReadonlyMap<number, number> = new Map([
  ...[37, 40, 53, 55, 58, 59, 74, 91, 93, 96, 103].map(field => [field, 1] as const),
  [31, 2],
  [12, 14],
])

/** Keys between devices, and what an app notes about a post: nobody is shown them. */
const NOT_SHOWN: ReadonlySet<number> = new Set([123, 127, 130])

const MAX_DEPTH = 10
const BYTES = 2

interface Field {
  number: number
  wireType: number
  /** Where its tag begins, where its value does, and where it ends. */
  tagAt: number
  from: number
  to: number
}

/** Decodes a message, with what is newer than the library. */
export function decodeMessage(bytes: Uint8Array): proto.Message {
  return proto.Message.decode(readable(bytes))
}

/** What a message has that nobody here knows: `shown` to people, or `hidden` between apps. */
export function unknownContent(bytes: Uint8Array): 'shown' | 'hidden' | undefined {
  const known = readable(bytes)
  const inner = innermost(known, 0, known.length)
  const kept = new Set(numbersOf(proto.Message.encode(proto.Message.decode(inner)).finish()))
  const unknown = numbersOf(inner).filter(number => !kept.has(number))
  if (unknown.length === 0) return undefined
  return unknown.every(number => NOT_SHOWN.has(number)) ? 'hidden' : 'shown'
}

/** The same bytes, with newer fields under the number of an older one; tags of both are two bytes long. */
function readable(bytes: Uint8Array): Uint8Array {
  let copy: Uint8Array | undefined
  const walk = (from: number, to: number, depth: number): void => {
    for (const field of fieldsOf(bytes, from, to)) {
      if (field.wireType !== BYTES) continue
      const older = READ_AS.get(field.number)
      if (older !== undefined) {
        copy ??= Uint8Array.from(bytes)
        copy.set(tagOf(older), field.tagAt)
      }
      const inside = ENVELOPES.get(older ?? field.number)
      if (inside === undefined || depth === MAX_DEPTH) continue
      for (const inner of fieldsOf(bytes, field.from, field.to))
        if (inner.number === inside && inner.wireType === BYTES) walk(inner.from, inner.to, depth + 1)
    }
  }
  walk(0, bytes.length, 0)
  return copy ?? bytes
}

const tagOf = (number: number): [number, number] => {
  const tag = (number << 3) | BYTES
  return [(tag & 0x7f) | 0x80, tag >>> 7]
}

/** The message in all envelopes around it. */
function innermost(bytes: Uint8Array, from: number, to: number, depth = 0): Uint8Array {
  for (const field of fieldsOf(bytes, from, to)) {
    const inside = field.wireType === BYTES && field.number !== 12 ? ENVELOPES.get(field.number) : undefined
    if (inside === undefined || depth === MAX_DEPTH) continue
    for (const inner of fieldsOf(bytes, field.from, field.to))
      if (inner.number === inside && inner.wireType === BYTES) return innermost(bytes, inner.from, inner.to, depth + 1)
  }
  return bytes.subarray(from, to)
}

const numbersOf = (bytes: Uint8Array): number[] => [...fieldsOf(bytes, 0, bytes.length)].map(({ number }) => number)

/** The fields of a message as far as they can be told apart: where they cannot, decoding it fails too. */
export function* fieldsOf(bytes: Uint8Array, from: number, to: number): Generator<Field> {
  let at = from
  while (at < to) {
    const tag = varint(bytes, at, to)
    if (!tag) return
    const [number, wireType] = [tag.value >>> 3, tag.value & 7]
    const span = spanOf(bytes, wireType, tag.next, to)
    if (!span || span.to > to || number === 0) return
    yield { number, wireType, tagAt: at, ...span }
    at = span.to
  }
}

function spanOf(bytes: Uint8Array, wireType: number, at: number, to: number): { from: number; to: number } | undefined {
  if (wireType === 1) return { from: at, to: at + 8 }
  if (wireType === 5) return { from: at, to: at + 4 }
  const read = varint(bytes, at, to)
  if (wireType === 0) return read && { from: at, to: read.next }
  return wireType === BYTES && read ? { from: read.next, to: read.next + read.value } : undefined
}

/** Of longer ones the value counts for nothing: no tag and no length has more than 32 bits. */
function varint(bytes: Uint8Array, at: number, to: number): { value: number; next: number } | undefined {
  let value = 0
  for (let index = 0; index < 10 && at + index < to; index += 1) {
    const byte = bytes[at + index]!
    if (index < 5) value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { value, next: at + index + 1 }
  }
  return undefined
}
