import { describe, expect, it } from 'vitest'
import { accountRoutes, operatorRoutes } from '../../src/http/routes.ts'
import { bodyLimitOf } from '../../src/http/route.ts'
import { ask, expectError } from '../harness/client.ts'
import { OPERATOR_TOKEN, onEachStore } from '../harness/gateway.ts'
import { openBrowser } from '../harness/portal.ts'
import { comeAsStranger } from '../harness/stranger.ts'

const KIB = 1_024
const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`
const items = (count: number) => `{"mentions":[${Array.from({ length: count }, () => '"x"').join()}]}`
const deep = (depth: number) => `{"poll":${'['.repeat(depth)}${']'.repeat(depth)}}`

describe('The cost of a request body is limited', () => {
  onEachStore(gateway => {
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

    it('a route accepts a body as large as it can use: 1 MiB if it takes text or a file, else 64 KiB', async () => {
      const account = await gateway().account()
      const large = accountRoutes.filter(route => bodyLimitOf(route) > 64 * KIB)
      expect(large.map(route => `${route.method} ${route.path}`).sort()).toEqual([
        'PATCH /v1/messages/:id',
        'POST /sandbox/media',
        'POST /sandbox/sessions/:id/actions',
        'POST /sandbox/sessions/:id/incoming',
        'POST /v1/messages',
      ])
      const body = JSON.stringify({ label: 'x'.repeat(64 * KIB) })
      expectError(await account.ask('POST', '/v1/keys', body), 413, 'body must not be larger than 64 KiB')
      expectError(await account.ask('PATCH', '/v1/messages/msg_1', body), 400, 'text is required')
      for (const route of [...accountRoutes, ...operatorRoutes].filter(each => each.body !== undefined)) {
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
