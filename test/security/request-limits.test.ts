import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { type Requester, RequestLimits } from '../../src/http/request-limits.ts'
import { type Answer, ask, expectError } from '../harness/client.ts'
import { onEachStore, onTwoNodes, type TestAccount } from '../harness/gateway.ts'
import { addUser, signedIn } from '../harness/portal.ts'
import { until } from '../harness/until.ts'

const tally = (answers: Answer[], status: number): number => answers.filter(answer => answer.status === status).length

async function keysOf(account: TestAccount, n: number): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: n }, () => account.ask('POST', '/v1/keys', { label: 'x' })))
  return made.map(({ json }) => json.key as string)
}

describe('The request limit of an account', () => {
  onEachStore(gateway => {
    it('holds over all its keys together, whatever each may do', async () => {
      const account = await gateway().account()
      const keys = await keysOf(account, 5)
      const limits = { requests_per_second: 0.01, requests_burst: 10, account_requests_burst: 25 }
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

    it('counts the portal too: a signed-in user has no allowance beside it', async () => {
      const user = await addUser(gateway())
      const browser = await signedIn(gateway(), user)
      const limits = { account_requests_per_second: 0.01, account_requests_burst: 5 }
      await gateway().operator('PATCH', `/operator/accounts/${user.accountId}`, { limits })
      const answers: Answer[] = []
      for (let n = 0; n < 10; n++) answers.push(await browser.ask('GET', '/v1/me'))
      expect(tally(answers, 200)).toBeLessThanOrEqual(5)
      expect(tally(answers, 429)).toBeGreaterThanOrEqual(5)
    })

    it('follows from that of a key, three times as much, where an operator sets only the latter', async () => {
      const account = await gateway().account({ limits: { requests_per_second: 7, requests_burst: null } })
      const { limits } = (await account.ask('GET', '/v1/me')).json
      expect(limits).toMatchObject({ account_requests_per_second: 21, account_requests_burst: null })
      const free = await gateway().account({ limits: { requests_per_second: null } })
      expect((await free.ask('GET', '/v1/me')).json.limits.account_requests_per_second).toBeNull()
    })
  })
})

describe('What a process remembers of request limits', () => {
  const someone = (id: string): Requester => ({ id, rate: { perSecond: 0.001, burst: 2 } })

  it('is bounded, and a crowd of others gives nobody a fresh allowance who goes on asking', () => {
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
    for (let n = 0; n < 2 * BOUNDS.trackedRequesters; n++) {
      asks(`key:${n}`)
      if (n % 1_000 === 0 && asks('key:a')) passed++
    }
    expect(passed).toBe(0)
  })

  it('is spent by nobody where one of the two limits refuses', () => {
    const limits = new RequestLimits({ clock: systemClock })
    const account = { id: 'account:a', rate: { perSecond: 0.001, burst: 3 } }
    limits.count([someone('key:a'), account])
    limits.count([someone('key:a'), account])
    for (let n = 0; n < 5; n++) expect(() => limits.count([someone('key:a'), account])).toThrow('rate limit exceeded')
    limits.count([someone('key:b'), account])
  })
})

describe('Request limits on two nodes', () => {
  const RATE = 20
  const BURST = 20
  const nodes = onTwoNodes()

  interface Passed {
    askedMs: number
    answeredMs: number
  }

  /** Asks both nodes again and again until so many requests were let through; answers when each was. */
  async function hammer(keys: string[], many: number): Promise<Passed[]> {
    const beganAt = performance.now()
    const passed: Passed[] = []
    const one = async (i: number) => {
      while (passed.length < many) {
        const askedMs = performance.now() - beganAt
        const { status } = await ask(nodes()[i % 2]!.url, 'GET', '/v1/tos', { key: keys[i % keys.length]! })
        if (status === 200) passed.push({ askedMs, answeredMs: performance.now() - beganAt })
        else await new Promise(resolve => setTimeout(resolve, 5))
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => one(i)))
    return passed
  }

  it.each([
    ['a key', { requests_per_second: RATE, requests_burst: BURST, account_requests_per_second: null }, 1],
    ['an account', { account_requests_per_second: RATE, account_requests_burst: BURST }, 8],
  ])('that of %s holds over both: one burst more at first, which is paid back', async (_whose, limits, keyCount) => {
    await until(async () => (await nodes()[0]!.store.accounts.countApiNodes()) === 2)
    const account = await nodes()[0]!.account()
    const keys = await keysOf(account, keyCount)
    await nodes()[0]!.operator('PATCH', `/operator/accounts/${account.id}`, { limits })
    for (const node of nodes())
      await until(async () => {
        const { json } = await ask(node.url, 'GET', '/v1/me', { key: account.key })
        return [json.limits?.requests_per_second, json.limits?.account_requests_per_second].includes(RATE)
      })
    const passed = await hammer(keys, 2 * BURST + 5 * RATE)
    const seconds = Math.max(...passed.map(({ answeredMs }) => answeredMs)) / 1_000
    // The precision that the documents state: a burst for each further node, and a second's worth while nodes settle.
    expect(passed.length).toBeLessThanOrEqual(2 * BURST + RATE * (seconds + 1))
    expect(passed.length).toBeGreaterThanOrEqual(RATE * seconds * 0.6)
    const later = passed.filter(({ askedMs }) => askedMs > 2_000)
    expect(later.length).toBeGreaterThan(0)
    expect(later.length).toBeLessThanOrEqual(RATE * (seconds - 2 + 1))
  })
})
