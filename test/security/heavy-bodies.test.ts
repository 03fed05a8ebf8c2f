import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { accountRoutes, operatorRoutes } from '../../src/http/routes.ts'
import { bodyLimitOf } from '../../src/http/route.ts'
import { ask, expectError } from '../harness/client.ts'
import { OPERATOR_TOKEN, onAnyStore } from '../harness/gateway.ts'
import { openBrowser } from '../harness/portal.ts'
import { comeAsStranger, type Stranger } from '../harness/stranger.ts'
import { until } from '../harness/until.ts'

const [KIB, MIB] = [2 ** 10, 2 ** 20]
const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`
const items = (count: number) => `{"mentions":[${Array.from({ length: count }, () => '"x"').join()}]}`
const deep = (depth: number) => `{"poll":${'['.repeat(depth)}${']'.repeat(depth)}}`

describe('The cost of a request body is limited', () => {
  onAnyStore(gateway => {
    it('more values than any request needs are rejected before they are traversed, whatever their shape', async () => {
      const account = await gateway().account()
      const send = (body: string) => account.ask('POST', '/v1/messages', body)
      const tooMany = 'body must not have more than 2000 values'
      for (const body of [keys(2_100), items(2_100), `{"contacts":[${'{},'.repeat(2_100)}{}]}`])
        expectError(await send(body), 400, tooMany)
      expectError(await send(`{"mentions":[${'"x",'.repeat(200_000)}"x"]}`), 400, tooMany)
      expectError(await send(deep(33)), 400, 'body must not be nested more than 32 levels deep')
      expectError(await send(items(1_900)), 400, 'session_id is required')
      expectError(await send(deep(20)), 400, 'session_id is required')
    })

    it('brackets inside texts do not count as structure', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const text = `${'[{,:"\\'.repeat(1_000)}"`
      const answer = await account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text })
      expect(answer.status, answer.text).toBe(202)
    })

    it('a query with very many parameters is rejected with one short error', async () => {
      const account = await gateway().account()
      const many = Array.from({ length: 1_500 }, (_, i) => `p${i}=1`).join('&')
      for (const path of ['/v1/messages', '/v1/deliveries', '/v1/usage'])
        expectError(await account.ask('GET', `${path}?${many}`), 400, 'query must not have more than 50 parameters')
    })

    it('a body in tiny chunks is rejected instead of buffered', async () => {
      const account = await gateway().account()
      const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
      const many = comeAsStranger(gateway().url)
      many.write(`${head}${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`)
      expect(await many.receives('}')).toMatch(/^HTTP\/1\.1 400 .*body comes in too many small pieces/s)
      const few = comeAsStranger(gateway().url)
      few.write(`${head}${'1\r\n \r\n'.repeat(500)}2\r\n{}\r\n0\r\n\r\n`)
      await few.receives('session_id is required')
      for (const stranger of [many, few]) stranger.leave()
    })

    it('bodies in progress are limited for each account and for the process, before they are read; one that ends makes room', async () => {
      const ofAccount = BOUNDS.bodyBytesOfAccount / MIB
      const greedy = await Promise.all(
        Array.from({ length: BOUNDS.bodyBytes / BOUNDS.bodyBytesOfAccount }, () => gateway().account()),
      )
      const late = await gateway().account()
      const strangers: Stranger[] = []
      /** Sends the head of a request and nothing of its body. */
      const begin = ({ key }: { key: string }): Stranger => {
        const stranger = comeAsStranger(gateway().url)
        strangers.push(stranger)
        stranger.write(
          `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${MIB}\r\nExpect: 100-continue\r\n\r\n`,
        )
        return stranger
      }
      const hold = (account: { key: string }): Promise<unknown> =>
        Promise.all(Array.from({ length: ofAccount }, () => begin(account).receives('100 Continue')))

      const [first, ...others] = greedy
      await hold(first!)
      const refused = await begin(first!).receives('}')
      expect(refused).toMatch(/HTTP\/1\.1 429 .*\r\nretry-after: 1\r\n/s)
      expect(refused).toContain(
        '{"error":"at most 32 MiB of request bodies of an account may be in progress; send fewer at once"}',
      )
      expectError(await first!.ask('POST', '/v1/messages', {}), 429)
      expectError(await late.ask('POST', '/v1/messages', {}), 400, 'session_id is required')

      for (const account of others) await hold(account)
      const full = 'the gateway is reading as many request bodies as it can; send this one again'
      expectError(await late.ask('POST', '/v1/messages', {}), 429, full)
      expect((await late.ask('GET', '/v1/me')).status).toBe(200)

      for (const stranger of strangers) stranger.leave()
      for (const account of [first!, late])
        await until(async () => (await account.ask('POST', '/v1/messages', {})).status === 400)
    })

    it('bodies that do not declare their size are limited by what has arrived', async () => {
      const account = await gateway().account()
      const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
      const chunk = `${(MIB - 1).toString(16)}\r\n${' '.repeat(MIB - 1)}\r\n`
      const held = Array.from({ length: BOUNDS.bodyBytesOfAccount / MIB + 4 }, () => comeAsStranger(gateway().url))
      for (const stranger of held) stranger.write(head + chunk)
      await until(() => held.some(each => each.received().startsWith('HTTP/1.1 429 ')))
      for (const stranger of held) stranger.leave()
      await until(async () => (await account.ask('POST', '/v1/messages', {})).status === 400)
    })

    it('a route accepts a body as large as it can use: 1 MiB if it takes text or a file, else 64 KiB', async () => {
      const account = await gateway().account()
      const large = accountRoutes.filter(route => bodyLimitOf(route) > 64 * KIB)
      expect(large.map(route => `${route.method} ${route.path}`).sort()).toEqual([
        'PATCH /v1/messages/:id',
        'POST /sandbox/media',
        'POST /sandbox/sessions/:id/actions',
        'POST /sandbox/sessions/:id/incoming',
        'POST /v1/media',
        'POST /v1/messages',
      ])
      const body = JSON.stringify({ label: 'x'.repeat(64 * KIB) })
      expectError(await account.ask('POST', '/v1/keys', body), 413, 'body must not be larger than 64 KiB')
      expectError(await account.ask('PATCH', '/v1/messages/msg_1', body), 400, 'text is required')
      for (const route of [...accountRoutes, ...operatorRoutes].filter(each => each.body !== undefined)) {
        // Files of gigabytes do not fit into a string: `contract/media` announces one that is too large.
        if (bodyLimitOf(route) > 2 ** 29) continue
        const key = route.path.startsWith('/operator') ? OPERATOR_TOKEN : account.key
        const over = ' '.repeat(bodyLimitOf(route) + 1)
        const path = route.path.replace(/:[a-z_]+/g, 'x')
        expectError(await ask(gateway().url, route.method, path, { key, body: over }), 413)
      }
    })

    it('routes of the portal accept at most 16 KiB', async () => {
      for (const path of ['/sign-in', '/sign-up', '/sign-in/link', '/sign-out', '/password', '/email']) {
        const answer = await openBrowser(gateway()).ask('POST', path, ' '.repeat(16 * KIB + 1))
        expectError(answer, path === '/password' || path === '/email' ? 401 : 413)
      }
      const browser = openBrowser(gateway())
      expectError(
        await browser.ask('POST', '/sign-in', ' '.repeat(16 * KIB + 1)),
        413,
        'body must not be larger than 16 KiB',
      )
      expectError(await browser.ask('POST', '/sign-in', keys(300)), 400, 'body must not have more than 50 values')
    })
  })
})
