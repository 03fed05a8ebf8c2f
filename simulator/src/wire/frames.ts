/** Splits the byte stream of a client into frames: one intro, then a length of three bytes before each frame. */
export class FrameReader {
  readonly #onFrame: (frame: Buffer) => void
  readonly #takesRouting: () => boolean
  #buffered: Buffer = Buffer.alloc(0)
  #introRead = false

  constructor(onFrame: (frame: Buffer) => void, takesRouting: () => boolean) {
    this.#onFrame = onFrame
    this.#takesRouting = takesRouting
  }

  read(chunk: Buffer): void {
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    if (!this.#introRead) {
      const length = introLength(this.#buffered)
      if (length === undefined) return
      if (length > HEADER_LENGTH && !this.#takesRouting()) throw new Error('the server accepts no routing information')
      this.#buffered = this.#buffered.subarray(length)
      this.#introRead = true
    }
    while (this.#buffered.length >= 3) {
      const end = 3 + this.#buffered.readUIntBE(0, 3)
      if (this.#buffered.length < end) return
      const frame = this.#buffered.subarray(3, end)
      this.#buffered = this.#buffered.subarray(end)
      this.#onFrame(frame)
    }
  }
}

const HEADER_LENGTH = 4
const ROUTING_PREFIX_LENGTH = 7

/** The length of the header `WA…`, including the routing information of a returning client. */
function introLength(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_LENGTH) return undefined
  if (bytes.toString('latin1', 0, 2) !== 'ED') return HEADER_LENGTH
  if (bytes.length < ROUTING_PREFIX_LENGTH) return undefined
  const length = ROUTING_PREFIX_LENGTH + bytes.readUIntBE(4, 3) + HEADER_LENGTH
  return bytes.length < length ? undefined : length
}

export function frame(data: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(3 + data.length)
  framed.writeUIntBE(data.length, 0, 3)
  framed.set(data, 3)
  return framed
}
