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

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARS = 10
const RANDOM_CHARS = 16

let lastMs = 0
let lastRandom = new Uint8Array(RANDOM_CHARS)

/** An id that sorts by time of creation: 48 bits of milliseconds, then 80 random bits that count up within one. */
export function makeId(prefix: IdPrefix, nowMs: number = idTimeMs()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs
    lastRandom = randomSlice(RANDOM_CHARS).map(byte => byte & 31)
  } else {
    increment(lastRandom)
  }
  return `${prefix}_${encodeTime(lastMs)}${encodeDigits(lastRandom)}`
}

/** At most as large as any id of that time, so that rows older than a time are a range of ids. */
export const firstIdAt = (prefix: IdPrefix, ms: number): string => `${prefix}_${encodeTime(ms)}`

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    if (digits[i]! < 31) {
      digits[i]!++
      return
    }
    digits[i] = 0
  }
}

function encodeTime(ms: number): string {
  let out = ''
  for (let rest = ms, i = 0; i < TIME_CHARS; i++) {
    out = ALPHABET[rest % 32] + out
    rest = Math.floor(rest / 32)
  }
  return out
}

function encodeDigits(digits: Uint8Array): string {
  let out = ''
  for (const digit of digits) out += ALPHABET[digit]
  return out
}

/** An id for the platform's wire, in the form that its own web client uses. */
export const makePlatformId = (): string => `3EB0${randomSlice(9).toString('hex').toUpperCase()}`
