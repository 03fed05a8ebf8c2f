import { describe, expect, it } from 'vitest'
import { type Ending, endingOf } from './ending.ts'

const NOW = 1_000_000
const failure = (reason: number, attrs: Record<string, string> = {}) =>
  endingOf({ output: { statusCode: reason }, data: { reason: String(reason), ...attrs } }, NOW)
const streamError = (statusCode: number, data: object = { tag: 'unknown', attrs: {} }) =>
  endingOf({ output: { statusCode }, data }, NOW)

describe('logins that fail', () => {
  it.each<[number, Ending['kind']]>([
    [400, 'refused'],
    [401, 'logged_out'],
    [402, 'paused'],
    [403, 'logged_out'],
    [405, 'refused'],
    [406, 'logged_out'],
    [409, 'refused'],
    [412, 'refused'],
    [413, 'refused'],
    [414, 'refused'],
    [415, 'refused'],
    [416, 'refused'],
    [417, 'refused'],
    [419, 'refused'],
    [418, 'refused'],
    [500, 'lost'],
    [501, 'refused'],
    [503, 'lost'],
    [599, 'lost'],
  ])('%i is %s', (reason, kind) => expect(failure(reason).kind).toBe(kind))

  it.each([
    [{ expire: '86400', code: '104' }, NOW + 86_400_000, /same message/],
    [{ expire: '60', code: '999' }, NOW + 60_000, /temporarily banned the number$/],
    [{}, NOW + 3_600_000, /temporarily banned the number$/],
    [{ expire: 'soon' }, NOW + 3_600_000, /temporarily banned the number$/],
    [{ expire: '-5' }, NOW + 3_600_000, /temporarily banned the number$/],
    [{ expire: '1e300' }, NOW + 366 * 86_400_000, /temporarily banned the number$/],
  ])('a ban with %j lasts until %i', (attrs, untilMs, reason) =>
    expect(failure(402, attrs)).toEqual({
      kind: 'paused',
      untilMs,
      reason: expect.stringMatching(reason),
      isBan: true,
    }),
  )
})

describe('streams that are ended', () => {
  it.each<[number, Ending['kind']]>([
    [401, 'logged_out'],
    [409, 'replaced'],
    [429, 'busy'],
    [503, 'lost'],
    [515, 'restart'],
    [516, 'logged_out'],
    [500, 'lost'],
  ])('%i is %s', (code, kind) => expect(streamError(code).kind).toBe(kind))

  it.each([
    [{ type: 'replaced' }, 'replaced', /another process/],
    [{ type: 'device_removed' }, 'logged_out', /unlinked$/],
    [{ type: 'device_removed', reason: 'account_locked' }, 'logged_out', /\(account_locked\)$/],
    [{ reason: 'primary_identity_key_change' }, 'logged_out', /\(primary_identity_key_change\)$/],
    [{}, 'replaced', /another process/],
    [{ reason: '<b>Hello 15550001111</b>' }, 'logged_out', /unlinked$/],
  ] as const)('a conflict with %j is %s', (attrs, kind, reason) =>
    expect(streamError(440, { tag: 'conflict', attrs })).toEqual({ kind, reason: expect.stringMatching(reason) }),
  )
})

it.each([400, 408, 428, 500])('%i of the library itself is a connection that was lost', statusCode =>
  expect(endingOf({ output: { statusCode } }, NOW).kind).toBe('lost'),
)

it.each([
  [401, 'logged_out'],
  [411, 'refused'],
] as const)('%i of the library itself is %s', (statusCode, kind) =>
  expect(endingOf({ output: { statusCode } }, NOW).kind).toBe(kind),
)
