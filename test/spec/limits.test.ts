import { describe, expect, it } from 'vitest'
import { msToNextMonth } from '../../src/runtime/token-bucket.ts'
import { type Answer, ask, expectError } from '../harness/client.ts'
import { onAnyStore, onTwoNodes, type TestAccount } from '../harness/gateway.ts'

const tally = (answers: Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const elapse = (seconds: number) => new Promise(resolve => setTimeout(resolve, seconds * 1_000))
const usageOf = async (account: TestAccount): Promise<number> =>
  (await account.ask('GET', '/v1/me')).json.usage.messages

describe('Limits', () => {
  onAnyStore(gateway => {
    async function sender(limits: object) {
      const account = await gateway().account({ limits })
      const session = await gateway().session(account)
      return {
        account,
        send: () => account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x' }),
      }
    }

    it('exactly the burst of 200 simultaneous messages is accepted, and the others are answered 429', async () => {
      const { account, send } = await sender({ messages_per_second: 0.001, messages_burst: 20 })
      const answers = await Promise.all(Array.from({ length: 200 }, send))
      expect(tally(answers)).toEqual({ 202: 20, 429: 180 })
      for (const answer of answers.filter(each => each.status === 429)) expectError(answer, 429, 'rate limit exceeded')
      expect(await usageOf(account)).toBe(20)
    })

    it('a breach gives 429 with Retry-After in whole seconds, at least 1; waiting it out succeeds', async () => {
      const { send } = await sender({ messages_per_second: 0.5, messages_burst: 1 })
      const answers = await Promise.all(Array.from({ length: 20 }, send))
      expect(answers.some(answer => answer.status === 202)).toBe(true)
      const refused = answers.find(answer => answer.status !== 202)!
      expectError(refused, 429, 'rate limit exceeded')
      const seconds = Number(refused.headers['retry-after'])
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/)
      expect(seconds).toBeLessThanOrEqual(2)
      await elapse(seconds)
      expect((await send()).status).toBe(202)
    })

    it('a monthly quota is exact under concurrency, and its Retry-After leads to the end of the month', async () => {
      const { account, send } = await sender({ messages_per_month: 30, messages_per_second: null })
      const before = msToNextMonth(Date.now())
      const answers = await Promise.all(Array.from({ length: 100 }, send))
      expect(tally(answers)).toEqual({ 202: 30, 429: 70 })
      const refused = answers.find(answer => answer.status === 429)!
      expectError(refused, 429, 'monthly quota exceeded')
      const retryAfterMs = Number(refused.headers['retry-after']) * 1_000
      // In whole seconds, rounded up.
      expect(retryAfterMs).toBeLessThanOrEqual(before + 1_000)
      expect(retryAfterMs).toBeGreaterThanOrEqual(msToNextMonth(Date.now()))
      const me = (await account.ask('GET', '/v1/me')).json
      expect(me.usage).toEqual({ period: new Date().toISOString().slice(0, 7), messages: 30, quota: 30 })
    })

    it('a message that the rate limit rejects does not spend the quota', async () => {
      const { account, send } = await sender({ messages_per_month: 10, messages_per_second: 0.001, messages_burst: 5 })
      expect(tally(await Promise.all(Array.from({ length: 50 }, send)))).toEqual({ 202: 5, 429: 45 })
      await gateway().operator('PATCH', `/operator/accounts/${account.id}`, { limits: { messages_per_second: null } })
      await expect.poll(async () => (await account.ask('GET', '/v1/me')).json.limits.messages_per_second).toBeNull()
      expect(tally(await Promise.all(Array.from({ length: 50 }, send)))).toEqual({ 202: 5, 429: 45 })
    })

    it('one account’s limit does not affect another’s, and many keys of one account share it', async () => {
      const { account } = await sender({ messages_per_second: 0.001, messages_burst: 4 })
      const other = await sender({ messages_per_second: 0.001, messages_burst: 4 })
      const session = await gateway().session(account)
      const keys = await Promise.all(
        [1, 2, 3].map(async n => (await account.ask('POST', '/v1/keys', { label: `k${n}` })).json.key),
      )
      const body = { session_id: session.id, to: '15550001111', text: 'x' }
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, i) => ask(gateway().url, 'POST', '/v1/messages', { key: keys[i % 3], body })),
      )
      expect(tally(answers)).toEqual({ 202: 4, 429: 26 })
      expect((await other.send()).status).toBe(202)
    })

    it('X-Forwarded-For does not evade the limit', async () => {
      const { account } = await sender({ requests_per_second: 0.001, requests_burst: 3 })
      const answers: Answer[] = []
      for (let i = 0; i < 6; i++)
        answers.push(await account.ask('GET', '/v1/tos', undefined, { 'x-forwarded-for': `9.9.9.${i}` }))
      expect(tally(answers)).toEqual({ 200: 3, 429: 3 })
    })

    it('the request limit of a key counts every request, including replays, and is checked before the Terms and the shape', async () => {
      const account = await gateway().account({
        acceptTos: false,
        limits: { requests_per_second: 0.001, requests_burst: 4 },
      })
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => account.ask('POST', '/v1/messages', '{nonsense')),
      )
      expect(tally(answers)).toEqual({ 403: 4, 429: 16 })
      expectError(answers.find(answer => answer.status === 429)!, 429, 'rate limit exceeded')
    })

    it('the request limit is per key, refills as Retry-After says, and a wrong key is still 401', async () => {
      const account = await gateway().account({ limits: { requests_per_second: 0.5, requests_burst: 2 } })
      const { json } = await account.ask('POST', '/v1/keys', { label: 'second' })
      const answers = await Promise.all(Array.from({ length: 40 }, () => account.ask('GET', '/v1/me')))
      const refused = answers.find(answer => answer.status !== 200)!
      expectError(refused, 429, 'rate limit exceeded')
      expect((await gateway().as(account, json.key).ask('GET', '/v1/me')).status).toBe(200)
      expectError(await gateway().as(account, account.key.replace(/.$/, '_')).ask('GET', '/v1/me'), 401)
      await elapse(Number(refused.headers['retry-after']))
      expect((await account.ask('GET', '/v1/me')).status).toBe(200)
    })

    it('each plan has its limits, and an operator can override each per account', async () => {
      const limitsOf = async (account: TestAccount) => (await account.ask('GET', '/v1/me')).json.limits
      expect(await limitsOf(await gateway().account({ plan: 'free' }))).toEqual({
        messages_per_second: 1,
        messages_burst: 20,
        messages_per_month: 1_000,
        sessions: 1,
        requests_per_second: 10,
        requests_burst: 100,
        account_requests_per_second: 30,
        account_requests_burst: 300,
        keys: 10,
        sandbox_sessions: 20,
        waiting_messages: 10_000,
      })
      expect(await limitsOf(await gateway().account({ plan: 'pro' }))).toEqual({
        messages_per_second: 20,
        messages_burst: 200,
        messages_per_month: 100_000,
        sessions: 10,
        requests_per_second: 50,
        requests_burst: 500,
        account_requests_per_second: 150,
        account_requests_burst: 1_500,
        keys: 50,
        sandbox_sessions: 100,
        waiting_messages: 100_000,
      })
      expect(await limitsOf(await gateway().account({ plan: 'max' }))).toEqual({
        messages_per_second: 80,
        messages_burst: 800,
        messages_per_month: null,
        sessions: 100,
        requests_per_second: 200,
        requests_burst: 2_000,
        account_requests_per_second: 600,
        account_requests_burst: 6_000,
        keys: 200,
        sandbox_sessions: 500,
        waiting_messages: 250_000,
      })
      const account = await gateway().account({ plan: 'free', limits: { messages_burst: 7 } })
      await gateway().operator('PATCH', `/operator/accounts/${account.id}`, { limits: { messages_per_month: null } })
      await expect
        .poll(() => limitsOf(account))
        .toMatchObject({ messages_burst: 7, messages_per_month: null, sessions: 1 })
    })

    it('a limit that could never be waited out is rejected', async () => {
      for (const limits of [
        { messages_per_second: 0 },
        { requests_per_second: 0 },
        { messages_burst: 0.5 },
        { requests_burst: 0 },
        { sessions: -1 },
        { account_requests_per_second: 0 },
        { account_requests_burst: 0 },
        { keys: 0 },
        { sandbox_sessions: -1 },
        { waiting_messages: 0 },
        { messages_per_month: -1 },
      ]) {
        const answer = await gateway().operator('POST', '/operator/accounts', { name: 'x', limits })
        expectError(answer, 400, new RegExp(`^limits.${Object.keys(limits)[0]} must be at least`))
      }
    })
  })
})

describe('Limits on two nodes', () => {
  const nodes = onTwoNodes()

  it('the rate and the quota of an account hold over all nodes together', async () => {
    const account = await nodes()[0]!.account({
      limits: { messages_per_second: 0.001, messages_burst: 20, messages_per_month: 1_000 },
    })
    const session = await nodes()[0]!.session(account)
    const body = { session_id: session.id, to: '15550001111', text: 'x' }
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        ask(nodes()[i % 2]!.url, 'POST', '/v1/messages', { key: account.key, body }),
      ),
    )
    expect(tally(answers)).toEqual({ 202: 20, 429: 180 })
    expect(await usageOf(account)).toBe(20)
  })
})
