import type { Readable } from 'node:stream'

const BYTES_OF_SAMPLE = 2
const PARTS = 64
const MAX = 100

/** The loudness of a sound in samples of 16 bits, over its length. */
export class Loudness {
  /** Samples a second: enough to see when a person speaks. */
  static readonly RATE = 8_000
  /** The mean of each tenth of a second: the length is known only at the end. */
  readonly #tenths: number[] = []
  #samples = 0
  #sum = 0

  async measure(samples: Readable): Promise<void> {
    let rest: Buffer = Buffer.alloc(0)
    for await (const chunk of samples) {
      const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer])
      const whole = bytes.length - (bytes.length % BYTES_OF_SAMPLE)
      for (let at = 0; at < whole; at += BYTES_OF_SAMPLE) this.#add(Math.abs(bytes.readInt16LE(at)))
      rest = bytes.subarray(whole)
    }
  }

  get seconds(): number {
    return this.#samples / Loudness.RATE
  }

  /** 64 values from 0 to 100, the loudest part 100. */
  waveform(): Buffer {
    const { length } = this.#tenths
    const parts = Array.from({ length: PARTS }, (_, part) => {
      const from = Math.floor((part * length) / PARTS)
      const to = Math.max(from + 1, Math.floor(((part + 1) * length) / PARTS))
      const tenths = this.#tenths.slice(from, to)
      return tenths.reduce((sum, each) => sum + each, 0) / Math.max(1, tenths.length)
    })
    const loudest = Math.max(...parts, 1)
    return Buffer.from(parts.map(part => Math.round((MAX * part) / loudest)))
  }

  #add(level: number): void {
    const ofTenth = Loudness.RATE / 10
    this.#sum += level
    this.#samples += 1
    if (this.#samples % ofTenth !== 0) return
    this.#tenths.push(this.#sum / ofTenth)
    this.#sum = 0
  }
}
