/** The wire type of all that has a length: bytes, texts, messages. */
export const BYTES = 2

export interface Field {
  number: number
  wireType: number
  /** Where its tag begins, where its value does, and where it ends. */
  tagAt: number
  from: number
  to: number
}

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
