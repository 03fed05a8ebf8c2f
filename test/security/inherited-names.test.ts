import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import { accountRoutes, operatorRoutes } from '../../src/http/routes.ts'
import { ask } from '../harness/client.ts'
import { cells } from '../harness/matrix.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { openBrowser } from '../harness/portal.ts'

/** What a parser may treat in another way than other names comes first. */
const NAMES = cells(
  [...new Set(['__proto__', 'constructor', 'toString', ...Object.getOwnPropertyNames(Object.prototype)])],
  3,
)
const POISON = [
  '{"__proto__":{"polluted":1}}',
  '{"\\u005f_proto__":{"polluted":1}}',
  '{"a":[{"__proto__":null}]}',
  '{"constructor":{"prototype":{"polluted":1}}}',
]
const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const at = (path: string, name: string): string => path.replace(/:[a-z_]+/g, encodeURIComponent(name))

describe('Names that every object inherits', () => {
  let gateway: TestGateway
  let account: TestAccount
  beforeAll(async () => {
    gateway = await startTestGateway('sqlite')
    account = await gateway.account({ limits: { requests_per_second: null, messages_per_second: null } })
  })
  afterAll(() => gateway.stop())
  const keyOf = (route: Route): string => (route.kind === 'operator' ? OPERATOR_TOKEN : account.key)

  // A file is never parsed.
  const withBody = [...accountRoutes, ...operatorRoutes].filter(({ body, file }) => body !== undefined && !file)
  test.each(withBody.map(route => [nameOf(route), route] as const))('are 400 in a body of %s', async (_, route) => {
    for (const body of POISON) {
      const answer = await ask(gateway.url, route.method, at(route.path, 'x'), { key: keyOf(route), body })
      expect([body, answer.status, answer.text]).toEqual([body, 400, expect.stringContaining('error')])
    }
    for (const name of NAMES.filter(name => name !== '__proto__')) {
      const body = { [name]: 'x' }
      const { status, text } = await ask(gateway.url, route.method, at(route.path, 'x'), { key: keyOf(route), body })
      expect([name, status]).toEqual([name, 400])
      expect(text).not.toContain('native code')
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  const all = [...accountRoutes, ...operatorRoutes]
  test.each(all.map(route => [nameOf(route), route] as const))(
    'are treated like any other name in the path of %s',
    async (_, route) => {
      // The same id for all, so that whole responses can be compared.
      const headers = { 'x-request-id': 'one-of-many' }
      const question = { key: keyOf(route), headers, ...(route.body !== undefined && { body: {} }) }
      if (route.path.includes(':')) {
        const stranger = await ask(gateway.url, route.method, at(route.path, 'nobody'), question)
        for (const name of NAMES) {
          const { status, text } = await ask(gateway.url, route.method, at(route.path, name), question)
          expect([name, status, text]).toEqual([name, stranger.status, stranger.text])
        }
      }
      const asking = async (name: string) => {
        const answer = await ask(gateway.url, route.method, `${at(route.path, 'x')}?${name}=1`, question)
        // Only a few may be open at a time.
        if (route.path === '/v1/listeners') await account.ask('DELETE', `/v1/listeners/${answer.json.id}`)
        return answer
      }
      const usual = await asking('nothing')
      for (const name of NAMES) expect([name, (await asking(name)).status]).toEqual([name, usual.status])
    },
  )

  test('are rejected in bodies of the portal before anything is done with them', async () => {
    const browser = openBrowser(gateway)
    for (const path of ['/sign-in', '/sign-in/link', '/sign-out', '/password', '/email', '/sign-out-everywhere']) {
      for (const body of POISON) {
        const { status } = await browser.ask('POST', path, body)
        expect([path, body, [400, 401, 429].includes(status)]).toEqual([path, body, true])
      }
    }
  })
})
