import { beforeAll, describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { makeId } from '../../src/domain/ids.ts'
import { KEPT_MS } from '../../src/domain/retention.ts'
import { ask, expectError } from '../harness/client.ts'
import { onEachStore, type TestAccount } from '../harness/gateway.ts'
import { until } from '../harness/until.ts'

describe('The API log', () => {
  onEachStore(gateway => {
    let account: TestAccount
    let before: number
    const list = async (query = '') => (await account.ask('GET', `/v1/requests${query}`)).json

    beforeAll(async () => {
      before = Date.now()
      account = await gateway().account()
      const session = await gateway().session(account)
      const send = { session_id: session.id, to: '15550001111', text: 'not for the log' }
      await account.ask('POST', '/v1/messages?colour=secret', send, { 'x-request-id': 'mine-1' })
      // Generated ids are searched too, and may contain any digits.
      await account.ask('POST', '/v1/messages', { ...send, to: undefined }, { 'x-request-id': 'second' })
      await account.ask('GET', '/v1/messages/msg_nothing', undefined, { 'x-request-id': 'third' })
      await account.ask('GET', '/v1/nothing')
      await until(async () => (await list('?path=/v1/messages')).data.length === 3)
    })

    it('has every request of a key, newest first, with the request and its outcome, and no body', async () => {
      const { data } = await list('?path=/v1/messages')
      expect(data).toMatchObject([
        { method: 'GET', path: '/v1/messages/msg_nothing', route: '/v1/messages/{id}', status: 404, code: 'not_found' },
        { method: 'POST', path: '/v1/messages', status: 400, code: 'parameter_missing', error: 'to is required' },
        { method: 'POST', path: '/v1/messages', status: 202, code: null, error: null, request_id: 'mine-1' },
      ])
      for (const entry of data) {
        expect(entry.key_id).toBe(account.keyId)
        expect(entry.latency_ms).toEqual(expect.any(Number))
        expect(Date.parse(entry.created_at)).toBeGreaterThanOrEqual(before)
      }
      expect(JSON.stringify(data)).not.toMatch(/not for the log|secret|15550001111/)
    })

    it('can be filtered by key, status class, method, path, request id and time', async () => {
      const count = async (query: string): Promise<number> => (await list(`?path=/v1/messages&${query}`)).data.length
      expect(await count('status=4xx')).toBe(2)
      expect(await count('status=2xx')).toBe(1)
      expect(await count('method=POST&status=4xx')).toBe(1)
      expect(await count('request_id=mine-1')).toBe(1)
      expect(await count(`key_id=${account.keyId}`)).toBe(3)
      expect(await count('key_id=key_other')).toBe(0)
      expect(await count('since=2999-01-01')).toBe(0)
      expect(await count('until=2020-01-01')).toBe(0)
      expectError(await account.ask('GET', '/v1/requests?status=3xx'), 400)
    })

    it('leaves out successful reads on request, and keeps reads that were rejected', async () => {
      await until(async () => (await list('?status=2xx&method=GET')).data.length > 0)
      expect((await list('?reads=hide&status=2xx&method=GET')).data).toEqual([])
      const { data } = await list('?path=/v1/messages&reads=hide')
      expect(data.map(({ method, status }: { method: string; status: number }) => [method, status])).toEqual([
        ['GET', 404],
        ['POST', 400],
        ['POST', 202],
      ])
    })

    it('has what commands on this machine change without a key, and not what they read', async () => {
      const own = await gateway().account()
      const session = await gateway().session(own)
      const asCommand = async (method: string, path: string, body?: unknown) =>
        await ask(gateway().url, method, path, {
          key: gateway().context.localToken,
          headers: { 'x-postern-account': own.id },
          ...(body === undefined ? {} : { body }),
        })
      expect((await asCommand('GET', '/v1/messages')).status).toBe(200)
      const send = { session_id: session.id, to: '15550001111', text: 'by a command' }
      expect((await asCommand('POST', '/v1/messages', send)).status).toBe(202)
      const listed = async () => (await own.ask('GET', '/v1/requests?path=/v1/messages')).json.data
      await until(async () => (await listed()).length > 0)
      expect(await listed()).toMatchObject([{ method: 'POST', path: '/v1/messages', key_id: 'command_line' }])
    })

    it.each([
      ['mine', ['mine-1']],
      ['TO IS REQ', ['to is required']],
      ['parameter_', ['to is required']],
      ['404', ['msg_nothing']],
      ['40', []],
      ['constructor', []],
    ])('can be searched by request id, error, code and status: "%s"', async (search, found) => {
      const { data } = await list(`?path=/v1/messages&search=${encodeURIComponent(search)}`)
      expect(data).toHaveLength(found.length)
      for (const [at, part] of found.entries()) expect(JSON.stringify(data[at])).toContain(part)
    })

    it('has pages without repetition or gaps', async () => {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { data: Array<{ id: string; path: string }>; next_cursor: string | null } = await list(
          `?limit=1&path=/v1/messages${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        seen.push(...page.data.map(({ id }) => id))
        cursor = page.next_cursor
      }
      expect(seen).toHaveLength(3)
      expect(new Set(seen).size).toBe(3)
    })

    it('belongs to the account, and is not for a key that is limited to certain numbers', async () => {
      const other = await gateway().account()
      expect((await other.ask('GET', '/v1/requests')).json.data).toEqual([])
      const session = await gateway().session(account)
      const limited = await account.ask('POST', '/v1/keys', { label: 'one', session_ids: [session.id] })
      const answer = await gateway().as(account, limited.json.key).ask('GET', '/v1/requests')
      expectError(answer, 403, 'this key is limited to certain numbers')
    })

    const chunk = (accountId: string, atMs: number, n: number, trims: boolean) => ({
      id: makeId('log'),
      accountId,
      fromMs: atMs,
      untilMs: atMs,
      n,
      requests: JSON.stringify([[atMs, 'GET', '/v1/me', `/at/${n}`, 200, 'key_1', 1, 'r', null, null]]),
      trims,
    })

    it('drops the oldest requests of an account beyond its limit', async () => {
      const { apiLog } = gateway().store
      const own = (await gateway().account()).id
      const now = await gateway().store.now()
      await apiLog.addApiLog([chunk(own, now, BOUNDS.loggedRequests - 1, false), chunk(own, now, 1, true)])
      const paths = async () =>
        (await apiLog.listApiLog({ accountId: own, limit: 10, cursor: null })).data.map(({ path }) => path)
      expect(await paths()).toHaveLength(2)
      await apiLog.addApiLog([chunk(own, now, 2, true)])
      expect(await paths()).toEqual(['/at/2', '/at/1'])
    })

    it('has a few entries for all requests that are rejected as too many, with their number', async () => {
      const flooder = await gateway().account({ limits: { requests_per_second: 0.001, requests_burst: 2 } })
      const flood = () => Promise.all(Array.from({ length: 120 }, () => flooder.ask('GET', '/v1/me')))
      const answers = await flood()
      const isRefused = ({ status }: { status: number }) => status === 429
      expect(answers.filter(isRefused).length).toBeGreaterThan(100)
      const logged = async () =>
        (await gateway().store.apiLog.listApiLog({ accountId: flooder.id, limit: 200, cursor: null })).data
      const limited = async () => (await logged()).filter(({ status }) => status === 429)
      const leftOut = async () =>
        (await limited()).reduce((sum, { error }) => sum + Number(/\((\d+) more were/.exec(error ?? '')?.[1] ?? 0), 0)
      const isWhole = async () => (await limited()).length + (await leftOut()) === answers.filter(isRefused).length
      await until(isWhole)
      // Ten entries per second are kept: a slow machine needs more requests for some to be left out.
      for (let round = 0; round < 5 && (await leftOut()) === 0; round++) answers.push(...(await flood()))
      await until(isWhole)
      expect(await leftOut()).toBeGreaterThan(0)
      const through = answers.filter(answer => !isRefused(answer))
      expect((await logged()).filter(({ status }) => status === 200)).toHaveLength(through.length)
    })

    it('counts those by the reason of their rejection, and keeps the count while it cannot be written', async () => {
      const limits = { messages_per_month: 1, requests_per_second: 0.001, requests_burst: 60 }
      const flooder = await gateway().account({ limits })
      const session = await gateway().session(flooder)
      const { apiLog } = gateway().store
      const { addApiLog } = apiLog
      let failures = 0
      apiLog.addApiLog = async chunks => {
        if (failures >= 2 || !chunks.some(({ accountId }) => accountId === flooder.id)) return await addApiLog(chunks)
        failures++
        throw new Error('the database is away')
      }
      const send = { session_id: session.id, to: '15550001111', text: 'hello' }
      const answers = await Promise.all(Array.from({ length: 40 }, () => flooder.ask('POST', '/v1/messages', send)))
      answers.push(...(await Promise.all(Array.from({ length: 80 }, () => flooder.ask('GET', '/v1/me')))))
      const refused = answers.filter(({ status }) => status === 429)
      const refusedFor = (code: string) => refused.filter(({ headers }) => headers['x-error-code'] === code).length
      expect([refusedFor('quota_exceeded'), refusedFor('rate_limited')]).toEqual([39, 60])
      const countOf = async (code: string) => {
        const { data } = await apiLog.listApiLog({ accountId: flooder.id, limit: 200, cursor: null })
        const kept = data.filter(entry => entry.code === code)
        return kept.reduce((sum, { error }) => sum + 1 + Number(/\((\d+) more were/.exec(error ?? '')?.[1] ?? 0), 0)
      }
      await until(async () => (await countOf('quota_exceeded')) === 39 && (await countOf('rate_limited')) === 60)
      apiLog.addApiLog = addApiLog
    })

    it('is deleted when its retention ends', async () => {
      const { apiLog, retention } = gateway().store
      const own = (await gateway().account()).id
      const now = await gateway().store.now()
      await apiLog.addApiLog([chunk(own, now - KEPT_MS.apiLog - 1_000, 1, false), chunk(own, now, 2, false)])
      const paths = async () =>
        (await apiLog.listApiLog({ accountId: own, limit: 10, cursor: null })).data.map(({ path }) => path)
      await until(async () => {
        await retention.dropExpired()
        return (await paths()).length < 2
      })
      expect(await paths()).toEqual(['/at/2'])
    })
  })
})
