import type { Random } from './random.ts'

const PROTOTYPE_NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', 'then']
const MARKUP = [
  '<script>alert(1)</script>',
  '{{7*7}}',
  '%s%n%x',
  "'; drop table inbox; --",
  '../../etc/passwd',
  '\r\nX: y',
]
const UNICODE = [
  '\u202Edesrever\u202C',
  '\uFEFF',
  '\u0000',
  'a\u0000b',
  'e\u0301'.repeat(40),
  '👨‍👩‍👧‍👦',
  '\uFFFE\uFFFF',
  '\u2028',
]
const NUMBERS = ['NaN', '-1', '1e400', '9007199254740993', '-9223372036854775808', '0x10', ' 7 ', '1.5', '']
const JIDS = [
  '@',
  '@s.whatsapp.net',
  'x@y@z',
  '0@s.whatsapp.net',
  '1:99999@s.whatsapp.net',
  'status@broadcast',
  '1@lid',
  ':@:',
]

/** Invalid UTF-8: unpaired surrogates, stray continuation bytes, an overlong slash, a truncated sequence. */
const BROKEN_TEXT = [
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xed, 0xb0, 0x80, 0x61]),
  Buffer.from([0x80, 0xbf]),
  Buffer.from([0xc0, 0xaf]),
  Buffer.from([0xf0, 0x9f, 0x98]),
  Buffer.from([0xff, 0xfe, 0xfd]),
]

export const brokenBytes = (random: Random): Buffer => random.pick(BROKEN_TEXT)

/** Text as a hostile phone writes it, for fields that carry only text. */
export function strangeText(random: Random): string {
  const lists = [PROTOTYPE_NAMES, MARKUP, UNICODE, NUMBERS, JIDS, ['', ' ', 'x', 'text', '\uFFFD']]
  return random.pick(random.pick(lists))
}

/** The same for fields that carry bytes and only claim to be text. */
export function strangeTextBytes(random: Random): Buffer {
  if (random.chance(0.2)) return brokenBytes(random)
  return Buffer.from(strangeText(random))
}

const INTEGERS = [0n, 1n, -1n, 2n ** 31n - 1n, -(2n ** 31n), 2n ** 32n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n), 42n]

export const strangeInteger = (random: Random): bigint => random.pick(INTEGERS)

const REALS = [Number.NaN, Infinity, -Infinity, 0, -0, 1e308, 5e-324, 91, -181, 12.5]

export const strangeReal = (random: Random): number => random.pick(REALS)
