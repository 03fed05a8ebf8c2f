import { expect, it } from 'vitest'
import { afterTry, beforeTry } from './forward-tries.ts'

it.each([
  ['a new item', 0, false, 'try'],
  ['one that an earlier host may have died of', 0, true, 'count'],
  ['one that failed here', 1, false, 'count'],
  ['one that failed twice', 2, true, 'count'],
  ['one that failed three times', 3, false, 'give_up'],
  ['one that killed three hosts', 3, true, 'give_up'],
] as const)('before a try: %s', (_, tries, isInherited, expected) => {
  expect(beforeTry(tries, isInherited)).toBe(expected)
})

it.each([
  ['the number is another host’s', 'lost', 0, { next: 'leave', uncount: false }],
  ['the host stops', 'stopped', 2, { next: 'leave', uncount: true }],
  ['the database is away', 'store_away', 0, { next: 'again', uncount: true, tries: 0, waitMs: 1_000 }],
  ['the database is away at a second try', 'store_away', 1, { next: 'again', uncount: true, tries: 1, waitMs: 500 }],
  ['it fails for the first time', 'failed', 0, { next: 'again', uncount: false, tries: 1, waitMs: 500 }],
  ['it fails again', 'failed', 1, { next: 'again', uncount: false, tries: 2, waitMs: 2_000 }],
  ['it fails for the last time', 'failed', 2, { next: 'again', uncount: false, tries: 3, waitMs: 1_000 }],
] as const)('after a try: %s', (_, why, tries, expected) => {
  expect(afterTry(why, tries)).toEqual(expected)
})
