import { BYTES, readVarint } from './proto-fields.ts'

/** The values of one message that were read, by field number; of a repeated field the last one. */
export type Values = Map<number, Uint8Array | number>

/** The fields of a message that are read: bytes, numbers, and messages inside it. All others are skipped. */
export interface Shape {
  readonly bytes?: readonly number[]
  /** Longer values are skipped; default 4,096. */
  readonly maxBytes?: number
  readonly numbers?: readonly number[]
  readonly messages?: ReadonlyMap<number, Shape>
  /** Called at the end of each message of this shape; `outer` is the message that contains it. */
  readonly onEnd?: (values: Values, outer: Values) => void
}

const MAX_VALUE_BYTES = 4_096
const NOTHING = new Uint8Array(0)

interface OpenMessage {
  readonly shape: Shape
  readonly endsAt: number
  readonly values: Values
}

/**
 * Reads a message while its bytes arrive. It holds the values that are read of the open messages, and of the bytes at
 * most one value: the size of what it skips does not matter.
 */
export class ProtoStream {
  readonly #open: OpenMessage[]
  #rest: Uint8Array = NOTHING
  /** The position of `#rest` in the whole message. */
  #position = 0
  #skip = 0

  constructor(shape: Shape) {
    this.#open = [{ shape, endsAt: Number.POSITIVE_INFINITY, values: new Map() }]
  }

  /** Throws if the bytes are no message. */
  push(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = this.#skipped(bytes, 0)
    this.#close(this.#position + at)
    while (at < bytes.length) {
      const next = this.#readField(bytes, at)
      if (next === undefined) break
      at = this.#skipped(bytes, next)
      this.#close(this.#position + at)
    }
    this.#position += at
    this.#rest = bytes.subarray(at)
  }

  /** Throws if the message is incomplete. */
  end(): void {
    if (this.#rest.length > 0 || this.#skip > 0 || this.#open.length > 1) throw new Error('the message is incomplete')
    const { shape, values } = this.#open[0]!
    shape.onEnd?.(values, new Map())
  }

  #skipped(bytes: Uint8Array, at: number): number {
    const skipped = Math.min(this.#skip, bytes.length - at)
    this.#skip -= skipped
    return at + skipped
  }

  /** Returns the position behind the field, or of the first field in it; `undefined` if bytes are missing. */
  #readField(bytes: Uint8Array, at: number): number | undefined {
    const { shape, endsAt, values } = this.#open.at(-1)!
    const tag = readVarint(bytes, at, bytes.length)
    if (!tag) return this.#requireMore(bytes, at)
    const [number, wireType] = [Math.floor(tag.value / 8), tag.value & 7]
    if (wireType === 0) {
      const read = readVarint(bytes, tag.next, bytes.length)
      if (!read) return this.#requireMore(bytes, tag.next)
      if (shape.numbers?.includes(number)) values.set(number, read.value)
      return read.next
    }
    const size = wireType === BYTES ? readVarint(bytes, tag.next, bytes.length) : fixedSize(wireType, tag.next)
    if (!size) return this.#requireMore(bytes, tag.next)
    const valueEndsAt = this.#position + size.next + size.value
    if (valueEndsAt > endsAt) throw new Error('a field is longer than its message')
    const inside = wireType === BYTES ? shape.messages?.get(number) : undefined
    if (inside) {
      this.#open.push({ shape: inside, endsAt: valueEndsAt, values: new Map() })
      if (size.value === 0) this.#close(valueEndsAt)
      return size.next
    }
    if (wireType === BYTES && shape.bytes?.includes(number) && size.value <= (shape.maxBytes ?? MAX_VALUE_BYTES)) {
      const end = size.next + size.value
      if (end > bytes.length) return undefined
      values.set(number, Uint8Array.from(bytes.subarray(size.next, end)))
      return end
    }
    this.#skip = size.value
    return size.next
  }

  /** A varint has at most ten bytes. */
  #requireMore(bytes: Uint8Array, at: number): undefined {
    if (bytes.length - at >= 10) throw new Error('a number is too long')
    return undefined
  }

  #close(position: number): void {
    for (let last = this.#open.at(-1)!; last.endsAt <= position && this.#skip === 0; last = this.#open.at(-1)!) {
      this.#open.pop()
      last.shape.onEnd?.(last.values, this.#open.at(-1)!.values)
    }
  }
}

function fixedSize(wireType: number, next: number): { value: number; next: number } {
  if (wireType === 1) return { value: 8, next }
  if (wireType === 5) return { value: 4, next }
  throw new Error('a field has an unknown wire type')
}
