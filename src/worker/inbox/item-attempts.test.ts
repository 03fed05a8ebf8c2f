import { expect, it } from 'vitest'
import { afterAttempt, howToAttempt } from './item-attempts.ts'

it.each([
  ['a new item', 0, 0, false, 'attempt'],
  ['one that an earlier host may have died of', 0, 0, true, 'record'],
  ['one that failed here', 1, 0, false, 'attempt'],
  ['one that failed three times', 3, 0, false, 'abandon'],
  ['one of several that a host had in hand when it died', 0, 1, true, 'alone'],
  ['one that two hosts died of when they had nothing else in hand', 0, 3, true, 'alone'],
  ['one that three hosts died of when they had nothing else in hand', 0, 4, true, 'abandon'],
] as const)('before an attempt: %s', (_, failures, deaths, isInherited, expected) => {
  expect(howToAttempt({ failures, deaths }, isInherited)).toBe(expected)
})

it.each([
  ['another host owns the number', 'lease_lost', 0, { next: 'leave' }],
  ['the host stops', 'stopped', 2, { next: 'leave' }],
  ['the database is unreachable', 'store_unreachable', 0, { next: 'again', failures: 0, waitMs: 1_000 }],
  ['the database is unreachable at a second try', 'store_unreachable', 1, { next: 'again', failures: 1, waitMs: 500 }],
  ['it fails for the first time', 'failed', 0, { next: 'again', failures: 1, waitMs: 500 }],
  ['it fails again', 'failed', 1, { next: 'again', failures: 2, waitMs: 2_000 }],
  ['it fails for the last time', 'failed', 2, { next: 'again', failures: 3, waitMs: 1_000 }],
] as const)('after an attempt: %s', (_, why, failures, expected) => {
  expect(afterAttempt(why, failures)).toEqual(expected)
})
