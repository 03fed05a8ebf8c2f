import { idTimeMs, randomSlice } from '../runtime/random.ts'

export type IdPrefix =
  | 'acc'
  | 'key'
  | 'wh'
  | 'msg'
  | 'evt'
  | 'dlv'
  | 'pair'
  | 'usr'
  | 'req'
  | 'rpl'
  | 'node'
  | 'host'
  | 'strm'
  | 'log'
  | 'lsn'
  | 'ep'
  | 'med'
  | 'imp'
  | 'job'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARS = 10
const COUNTER_CHARS = 6
const RANDOM_CHARS = 10

let lastMs = 0
let time = ''
let counter = 0
let random = ''

/**
 * An id that sorts by time of creation: 48 bits of milliseconds, a counter that begins at random in each millisecond,
 * then 50 random bits.
 */
export function makeId(prefix: IdPrefix, nowMs: number = idTimeMs()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs
    time = encodeDigits(nowMs, TIME_CHARS)
    const bytes = randomSlice(4 + RANDOM_CHARS)
    // 29 bits of 30: the counter never overflows.
    counter = bytes.readUInt32BE(0) >>> 3
    random = ''
    for (let i = 4; i < bytes.length; i++) random += ALPHABET[bytes[i]! & 31]
  } else {
    counter++
  }
  return `${prefix}_${time}${encodeDigits(counter, COUNTER_CHARS)}${random}`
}

/** At most as large as any id of that time, so that rows older than a time are a range of ids. */
export const firstIdAt = (prefix: IdPrefix, ms: number): string => `${prefix}_${encodeDigits(ms, TIME_CHARS)}`

/** The time and the counter of an id: no two ids of a process have both in common. */
export function placeOf(id: string): { ms: number; counter: number } {
  const at = id.indexOf('_') + 1
  const counterAt = at + TIME_CHARS
  return { ms: decodeDigits(id, at, counterAt), counter: decodeDigits(id, counterAt, counterAt + COUNTER_CHARS) }
}

/** The beginning of every id with this time and counter. */
export const idAt = (prefix: IdPrefix, { ms, counter: n }: { ms: number; counter: number }): string =>
  `${firstIdAt(prefix, ms)}${encodeDigits(n, COUNTER_CHARS)}`

/** At least as large as any id with this beginning. */
export const lastIdFrom = (beginning: string): string => `${beginning}${'z'.repeat(RANDOM_CHARS)}`

function encodeDigits(value: number, chars: number): string {
  let out = ''
  for (let rest = value, i = 0; i < chars; i++) {
    out = ALPHABET[rest % 32] + out
    rest = Math.floor(rest / 32)
  }
  return out
}

function decodeDigits(text: string, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) value = value * 32 + ALPHABET.indexOf(text[i]!)
  return value
}

/** An id for the platform's wire, in the form that its own web client uses; a message's own: `PlatformIds`. */
export const makePlatformId = (): string => `3EB0${randomSlice(9).toString('hex').toUpperCase()}`
