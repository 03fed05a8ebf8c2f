import { createHmac } from 'node:crypto'
import type { SignalKeyStore } from 'baileys'
import { describe, expect, it } from 'vitest'
import { createMemoryKeys } from '../device/memory-keys.ts'
import { isGoodToken, Tokens } from './tokens.ts'

const WEEK = 604_800
const NOW = 2_950 * WEEK + 1_000
const clock = { now: () => new Date(NOW * 1000) }
const LID = '200000000000001@lid'
const salt = Buffer.alloc(32, 7)

function tokensWith(given: Record<string, unknown>): Tokens {
  const { store } = createMemoryKeys()
  void (store as SignalKeyStore).set({ tctoken: { [LID]: given } } as never)
  return new Tokens(() => store, clock)
}

describe('tokens', () => {
  it.each([
    ['this week', NOW, true],
    ['three weeks before', NOW - 3 * WEEK, true],
    ['the first second of the third week before', 2_947 * WEEK, true],
    ['the last second of the fourth week before', 2_947 * WEEK - 1, false],
    ['no time', 0, false],
  ])('one of %s', (_when, issued, isGood) => expect(isGoodToken(issued, NOW)).toBe(isGood))

  it('a token is made if there is no valid one, and none without a salt', async () => {
    const made = createHmac('sha256', salt).update(LID).digest()
    const none = tokensWith({ token: Buffer.alloc(0), senderTimestamp: NOW })
    expect(await none.nodeFor(LID)).toBeUndefined()
    none.keepSalt(salt)
    expect(await none.nodeFor(LID)).toEqual({ tag: 'cstoken', attrs: {}, content: made })
    const old = tokensWith({ token: Buffer.alloc(32), timestamp: String(NOW - 4 * WEEK) })
    old.keepSalt(salt)
    expect((await old.nodeFor(LID))?.content).toEqual(made)
    const good = tokensWith({ token: Buffer.alloc(32), timestamp: String(NOW) })
    good.keepSalt(salt)
    expect(await good.nodeFor(LID)).toBeUndefined()
  })
})
