/** The two kinds of protobuf field that this module encodes: unsigned integers and bytes. */
export type Field = readonly [tag: number, value: number | Uint8Array]

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
  return bytes
}

export function encodeFields(fields: readonly Field[]): Buffer {
  const parts: Uint8Array[] = []
  for (const [tag, value] of fields) {
    if (typeof value === 'number') parts.push(Buffer.from([...varint(tag * 8), ...varint(value)]))
    else parts.push(Buffer.from([...varint(tag * 8 + 2), ...varint(value.length)]), value)
  }
  return Buffer.concat(parts)
}

export interface DecodedFields {
  integer(tag: number): number | undefined
  bytes(tag: number): Buffer
}

/** Reads fields by tag; throws if a requested bytes field is absent. */
export function decodeFields(data: Buffer): DecodedFields {
  const values = new Map<number, number | Buffer>()
  let offset = 0
  const readVarint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = data[offset++]
      if (byte === undefined) throw new Error('message is cut short')
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (offset < data.length) {
    const key = readVarint()
    if (key % 8 === 0) values.set(Math.floor(key / 8), readVarint())
    else if (key % 8 === 2) {
      const length = readVarint()
      if (offset + length > data.length) throw new Error('message is cut short')
      values.set(Math.floor(key / 8), data.subarray(offset, offset + length))
      offset += length
    } else throw new Error('message has a field of an unknown kind')
  }
  return {
    integer: tag => {
      const value = values.get(tag)
      return typeof value === 'number' ? value : undefined
    },
    bytes: tag => {
      const value = values.get(tag)
      if (!Buffer.isBuffer(value)) throw new Error(`message lacks field ${tag}`)
      return value
    },
  }
}
