import { expect, it } from 'vitest'
import { afterRefusal, CodeBackoff } from './code-backoff.ts'

it.each([
  [400, 1, undefined, 'end', /country code, or link it by QR/, undefined],
  [404, 1, undefined, 'end', /does not know this number/, undefined],
  [429, 1, undefined, 'wait', /too many codes/, 60_000],
  [429, 2, undefined, 'wait', /too many codes/, 120_000],
  [429, 9, undefined, 'wait', /too many codes/, 300_000],
  [429, 2, 7_000, 'wait', /too many codes/, 7_000],
  [503, 1, undefined, 'wait', /now \(503\)/, 5_000],
  [503, 3, undefined, 'wait', /now \(503\)/, 20_000],
  [0, 1, undefined, 'wait', /does not answer/, 5_000],
])('after %i, the %ith in a row, with a back-off of %s: %s', (status, nth, backoffMs, kind, why, ms) => {
  const refusal = afterRefusal(status, nth, backoffMs)
  expect(refusal).toMatchObject({ kind, why: expect.stringMatching(why) })
  if (ms !== undefined) expect(refusal).toMatchObject({ ms })
})

it('consecutive rejections prolong the wait, and a code resets it', () => {
  const codeBackoff = new CodeBackoff()
  const refusedAt = (nowMs: number) => {
    codeBackoff.refused(503, undefined, nowMs)
    return codeBackoff.waitAt(nowMs)?.untilMs
  }
  expect(codeBackoff.waitAt(0)).toBeUndefined()
  expect(refusedAt(1_000)).toBe(6_000)
  expect(codeBackoff.waitAt(6_000)).toBeUndefined()
  expect(refusedAt(6_000)).toBe(16_000)
  codeBackoff.given()
  expect(refusedAt(20_000)).toBe(25_000)
})
