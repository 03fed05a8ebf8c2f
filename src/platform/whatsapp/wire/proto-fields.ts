/** The wire type of length-delimited fields: bytes, strings, messages. */
export const BYTES = 2

export interface Field {
  number: number
  wireType: number
  /** The offsets of its tag, its value and its end. */
  tagAt: number
  from: number
  to: number
}

/** The fields of a message up to the first invalid one, at which decoding fails too. */
export function* fieldsOf(bytes: Uint8Array, from: number, to: number): Generator<Field> {
  let at = from
  while (at < to) {
    const tag = readVarint(bytes, at, to)
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
  const read = readVarint(bytes, at, to)
  if (wireType === 0) return read && { from: at, to: read.next }
  return wireType === BYTES && read ? { from: read.next, to: read.next + read.value } : undefined
}

/** The value of a varint with more than 35 bits is not exact: no tag and no length needs more than 32. */
export function readVarint(bytes: Uint8Array, at: number, to: number): { value: number; next: number } | undefined {
  let value = 0
  for (let index = 0; index < 10 && at + index < to; index += 1) {
    const byte = bytes[at + index]!
    if (index < 5) value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { value, next: at + index + 1 }
  }
  return undefined
}
