import { expect, it } from 'vitest'
import { afterTry, howToTry } from './forward-tries.ts'

it.each([
  ['a new item', 0, 0, false, 'try'],
  ['one that an earlier host may have died of', 0, 0, true, 'count'],
  ['one that failed here', 1, 0, false, 'try'],
  ['one that failed three times', 3, 0, false, 'give_up'],
  ['one of several that a host had in hand when it died', 0, 1, true, 'alone'],
  ['one that two hosts died of when they had nothing else in hand', 0, 3, true, 'alone'],
  ['one that three hosts died of when they had nothing else in hand', 0, 4, true, 'give_up'],
] as const)('before a try: %s', (_, failures, deaths, isInherited, expected) => {
  expect(howToTry({ failures, deaths }, isInherited)).toBe(expected)
})

it.each([
  ['the number is another host’s', 'lost', 0, { next: 'leave' }],
  ['the host stops', 'stopped', 2, { next: 'leave' }],
  ['the database is away', 'store_away', 0, { next: 'again', failures: 0, waitMs: 1_000 }],
  ['the database is away at a second try', 'store_away', 1, { next: 'again', failures: 1, waitMs: 500 }],
  ['it fails for the first time', 'failed', 0, { next: 'again', failures: 1, waitMs: 500 }],
  ['it fails again', 'failed', 1, { next: 'again', failures: 2, waitMs: 2_000 }],
  ['it fails for the last time', 'failed', 2, { next: 'again', failures: 3, waitMs: 1_000 }],
] as const)('after a try: %s', (_, why, failures, expected) => {
  expect(afterTry(why, failures)).toEqual(expected)
})
