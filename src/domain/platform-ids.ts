import { hash } from 'node:crypto'
import { idAt, placeOf } from './ids.ts'

const FORM = /^3EB0([0-9A-F]{9})([0-9A-F]{9})$/
const HALF = 2 ** 36
const COUNTER = 2 ** 30
const ROUNDS = 4

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

  /** All processes of an installation use the same key, always. */
  constructor(key: string) {
    this.key = key
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

  /** The round function of a Feistel network: a number below `HALF` that only the key can predict. */
  #mix(round: number, half: number): number {
    return Number.parseInt(hash('sha256', `${this.key}${round}.${half}`, 'hex').slice(0, 9), 16)
  }
}

const toHex = (half: number): string => half.toString(16).toUpperCase().padStart(9, '0')
