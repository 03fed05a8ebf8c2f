import { hash } from 'node:crypto'
import { idAt, placeOf } from './ids.ts'

const FORM = /^3EB0([0-9A-F]{9})([0-9A-F]{9})$/
const HALF = 2 ** 36
const COUNTER = 2 ** 30
const ROUNDS = 4
const STEPS = 8
/** The constants of SipHash, so that no state is all zeros. */
const START = [0x6c796765, 0x74656462] as const

/** The platform id of a message, with the beginning of the message's id. */
export interface SentId {
  platformId: string
  beginning: string
}

/**
 * The ids of messages on the platform's wire. Each is its message's id, encrypted: 42 bits of time and 30 of a counter
 * become 72 bits that look random, as those of the platform's own web client. So a message is found by its platform
 * id without an index of random values, which would cost more than the rest of an insert.
 */
export class PlatformIds {
  readonly key: string
  /** Two words for each round. */
  readonly #words: Int32Array

  /** All processes of an installation use the same key, always. */
  constructor(key: string) {
    this.key = key
    const digest = hash('sha256', key, 'buffer')
    this.#words = Int32Array.from({ length: 2 * ROUNDS }, (_, i) => digest.readInt32LE(4 * i))
  }

  of(messageId: string): string {
    const { ms, counter } = placeOf(messageId)
    let left = Math.floor(ms / 64) % HALF
    let right = (ms % 64) * COUNTER + counter
    for (let round = 0; round < ROUNDS; round++) [left, right] = [right, (left + this.#mix(round, right)) % HALF]
    return `3EB0${toHex(left)}${toHex(right)}`
  }

  /** The beginning of the message's id, if a message has this platform id; `undefined` if no message can have it. */
  beginningOf(platformId: string): string | undefined {
    const halves = FORM.exec(platformId)
    if (halves === null) return undefined
    let [left, right] = [Number.parseInt(halves[1]!, 16), Number.parseInt(halves[2]!, 16)]
    for (let round = ROUNDS - 1; round >= 0; round--)
      [left, right] = [(right - this.#mix(round, left) + HALF) % HALF, left]
    return idAt('msg', { ms: left * 64 + Math.floor(right / COUNTER), counter: right % COUNTER })
  }

  /** Each of these platform ids once, without those that no message can have. */
  sentIds(platformIds: Iterable<string>): SentId[] {
    return [...new Set(platformIds)].flatMap(platformId => {
      const beginning = this.beginningOf(platformId)
      return beginning === undefined ? [] : [{ platformId, beginning }]
    })
  }

  /**
   * The round function of a Feistel network: a number below `HALF` that only the key can predict. It is SipHash with
   * words of 32 bits, because four hashes of Node's cost more than the rest of an id: two steps for each of the two
   * words, and four to end.
   */
  #mix(round: number, half: number): number {
    const key = this.#words[2 * round]!
    const further = this.#words[2 * round + 1]!
    const low = half | 0
    const high = Math.floor(half / 2 ** 32)
    let a = key
    let b = further
    let c = key ^ START[0]
    let d = further ^ START[1] ^ low
    for (let step = 1; step <= STEPS; step++) {
      a = (a + b) | 0
      b = turn(b, 5) ^ a
      a = turn(a, 16)
      c = (c + d) | 0
      d = turn(d, 8) ^ c
      a = (a + d) | 0
      d = turn(d, 7) ^ a
      c = (c + b) | 0
      b = turn(b, 13) ^ c
      c = turn(c, 16)
      if (step === 2) {
        a ^= low
        d ^= high
      } else if (step === 4) {
        a ^= high
        c ^= 0xff
      }
    }
    return ((b ^ d) >>> 0) + ((a ^ c) & 15) * 2 ** 32
  }
}

const turn = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

/** Three digits each: a number of 36 bits has three such groups. */
const GROUPS = Array.from({ length: 4_096 }, (_, i) => i.toString(16).toUpperCase().padStart(3, '0'))

const toHex = (half: number): string =>
  GROUPS[Math.floor(half / 2 ** 24)]! + GROUPS[(half >>> 12) & 4_095]! + GROUPS[half & 4_095]!
