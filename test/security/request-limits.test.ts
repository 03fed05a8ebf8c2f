import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { type Caller, RequestLimits } from '../../src/http/limits/request-limits.ts'
import { type Answer, ask, expectError } from '../harness/client.ts'
import { movableClock } from '../harness/clocks.ts'
import { onAnyStore, onTwoNodes, type TestAccount } from '../harness/gateway.ts'
import { addUser, signedIn } from '../harness/portal.ts'
import { queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const tally = (answers: Answer[], status: number): number => answers.filter(answer => answer.status === status).length

async function keysOf(account: TestAccount, n: number): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: n }, () => account.ask('POST', '/v1/keys', { label: 'x' })))
  return made.map(({ json }) => json.key as string)
}

describe('The request limit of an account', () => {
  onAnyStore(gateway => {
    it('holds over all its keys together, whatever each is allowed', async () => {
      const account = await gateway().account()
      const keys = await keysOf(account, 5)
      const limits = { requests_per_second: 0.001, requests_burst: 10, account_requests_burst: 25 }
      await gateway().operator('PATCH', `/operator/accounts/${account.id}`, { limits })
      await until(
        async () => (await gateway().store.accounts.getAccount(account.id))!.limitOverrides.requests_burst === 10,
      )
      const asked = Array.from({ length: 100 }, (_, i) =>
        ask(gateway().url, 'GET', '/v1/tos', { key: keys[i % keys.length]! }),
      )
      const answers = await Promise.all(asked)
      expect(tally(answers, 200)).toBe(25)
      const refused = answers.find(({ status }) => status === 429)!
      expectError(refused, 429, 'rate limit exceeded')
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    })

    it('counts the portal too: a signed-in user has no additional allowance', async () => {
      const user = await addUser(gateway())
      const browser = await signedIn(gateway(), user)
      const limits = { account_requests_per_second: 0.001, account_requests_burst: 5 }
      await gateway().operator('PATCH', `/operator/accounts/${user.accountId}`, { limits })
      const answers: Answer[] = []
      for (let n = 0; n < 10; n++) answers.push(await browser.ask('GET', '/v1/me'))
      expect(tally(answers, 200)).toBeLessThanOrEqual(5)
      expect(tally(answers, 429)).toBeGreaterThanOrEqual(5)
    })

    it('defaults to three times that of a key if an operator sets only the latter', async () => {
      const account = await gateway().account({ limits: { requests_per_second: 7, requests_burst: null } })
      const { limits } = (await account.ask('GET', '/v1/me')).json
      expect(limits).toMatchObject({ account_requests_per_second: 21, account_requests_burst: null })
      const free = await gateway().account({ limits: { requests_per_second: null } })
      expect((await free.ask('GET', '/v1/me')).json.limits.account_requests_per_second).toBeNull()
    })
  })
})

describe('The request limits that a process remembers', () => {
  const someone = (id: string): Caller => ({ id, rate: { perSecond: 0.001, burst: 2 } })

  it('are limited in number, and a crowd of others does not reset the allowance of an active client', () => {
    const limits = new RequestLimits({ clock: systemClock })
    const asks = (id: string) => {
      try {
        limits.count([someone(id)])
        return true
      } catch {
        return false
      }
    }
    expect([asks('key:a'), asks('key:a'), asks('key:a')]).toEqual([true, true, false])
    let passed = 0
    for (let n = 0; n < 2 * BOUNDS.trackedCallers; n++) {
      asks(`key:${n}`)
      if (n % 1_000 === 0 && asks('key:a')) passed++
    }
    expect(passed).toBe(0)
  })

  it('are not spent if one of two limits rejects the request', () => {
    const limits = new RequestLimits({ clock: systemClock })
    const account = { id: 'account:a', rate: { perSecond: 0.001, burst: 3 } }
    limits.count([someone('key:a'), account])
    limits.count([someone('key:a'), account])
    for (let n = 0; n < 5; n++) expect(() => limits.count([someone('key:a'), account])).toThrow('rate limit exceeded')
    limits.count([someone('key:b'), account])
  })
})

describe('Request limits on two nodes', () => {
  const BURST = 20
  /** So slow that no allowance is refilled unless the test lets time pass. */
  const RATE = 0.001
  /** One burst is refilled in a round. */
  const ROUND_MS = (BURST / RATE) * 1_000
  const ROUNDS = 5
  const clock = movableClock()
  const nodes = onTwoNodes({ clock })
  const query = (sql: string) => queryPlace<{ tokens: number }>(nodes()[0]!.place, sql)

  /** Sends requests to one node after the other until it rejects; returns how many were accepted. */
  async function askAll(keys: string[]): Promise<number> {
    let passed = 0
    for (const node of nodes())
      while ((await ask(node.url, 'GET', '/v1/tos', { key: keys[passed % keys.length]! })).status === 200) passed++
    return passed
  }

  it.each([
    ['a key', { requests_per_second: RATE, requests_burst: BURST, account_requests_per_second: null }, 1],
    ['an account', { account_requests_per_second: RATE, account_requests_burst: BURST }, 8],
  ])(
    'hold for %s over both: one additional burst at first, which is deducted later',
    async (_whose, limits, keyCount) => {
      await until(async () => (await nodes()[0]!.store.limits.countApiNodes()) === 2)
      const account = await nodes()[0]!.account()
      const keys = await keysOf(account, keyCount)
      await nodes()[0]!.operator('PATCH', `/operator/accounts/${account.id}`, { limits })
      for (const node of nodes())
        await until(async () => {
          const { json } = await ask(node.url, 'GET', '/v1/me', { key: account.key })
          return [json.limits?.requests_per_second, json.limits?.account_requests_per_second].includes(RATE)
        })
      await query('begin; lock table request_meters in exclusive mode; delete from request_meters; commit')
      let passed = await askAll(keys)
      expect(passed).toBeGreaterThanOrEqual(BURST / 2)
      expect(passed).toBeLessThanOrEqual(2 * BURST)
      for (let round = 0; round < ROUNDS; round++) {
        await settled(BURST + round * BURST - passed)
        clock.pass(ROUND_MS)
        // The nodes sync meanwhile, and lock the rows in another order.
        await query(
          `begin; lock table request_meters in exclusive mode;
         update request_meters set tokens_at = tokens_at - ${ROUND_MS}; commit`,
        )
        passed += await askAll(keys)
      }
      // Without the deduction it would be one burst more.
      expect(passed).toBeLessThanOrEqual(BURST + ROUNDS * BURST + BURST / 2)
      expect(passed).toBeGreaterThanOrEqual(ROUNDS * BURST * 0.6)
    },
  )

  /** Both nodes have deducted their accepted requests from the shared allowance. */
  const settled = (left: number) =>
    until(async () => {
      const tokens = (await query('select tokens from request_meters')).map(row => Number(row.tokens))
      return tokens.some(each => each <= left + 0.9)
    })
})
