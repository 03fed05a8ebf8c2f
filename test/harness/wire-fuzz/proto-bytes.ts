/** Protobuf in its wire format, valid or not: it can write what a library would reject. */

const VARINT = 0
const FIXED64 = 1
export const BYTES = 2
export const GROUP = 3
const FIXED32 = 5

export function varint(value: bigint | number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}

export function tag(field: number, wire: number): Buffer {
  return varint((BigInt(field) << 3n) | BigInt(wire))
}

export function bytesField(field: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([tag(field, BYTES), varint(bytes.length), bytes])
}

export function varintField(field: number, value: bigint | number): Buffer {
  return Buffer.concat([tag(field, VARINT), varint(value)])
}

export function fixed32Field(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([tag(field, FIXED32), bytes])
}

export function fixed64Field(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([tag(field, FIXED64), bytes])
}

export function floatField(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return fixed32Field(field, bytes)
}

export function doubleField(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return fixed64Field(field, bytes)
}
