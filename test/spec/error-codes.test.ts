import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CODES, type ErrorCode } from '../../src/domain/error-codes.ts'
import { ERROR_DOCS } from '../../src/http/openapi/error-docs.ts'
import { STATUS } from '../../src/http/error-response.ts'
import { userRoutes } from '../../src/http/portal/portal-routes.ts'
import { accountRoutes, operatorRoutes } from '../../src/http/routes.ts'
import { type Answer, ask, expectError, PROBLEM, readAnswer, sendBytes } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway, type TestSession } from '../harness/gateway.ts'

let gateway: TestGateway
let account: TestAccount
let session: TestSession
beforeAll(async () => {
  gateway = await startTestGateway('sqlite')
  account = await gateway.account()
  session = await gateway.session(account)
})
afterAll(() => gateway.stop())

const OURS = /^req_[0-9a-z]{20,40}$/

/** Expects an error in the form of RFC 9457. */
function expectProblem({ status, headers, json, text }: Answer, expected: number, code?: string, param?: string): void {
  expect({ status, text }).toMatchObject({ status: expected })
  expect(headers).toMatchObject({ 'content-type': 'application/problem+json', vary: 'Accept' })
  const known = code ?? headers['x-error-code']
  expect(json).toEqual({
    type: `${gateway.url}/docs/errors#${String(known)}`,
    title: ERROR_DOCS[known as ErrorCode].title,
    status,
    detail: expect.stringMatching(/./),
    code: known,
    ...((param ?? json.param) === undefined ? {} : { param: param ?? expect.stringMatching(/./) }),
    request_id: headers['x-request-id'],
  })
  expect(STATUS[ERROR_CODES[known as ErrorCode]]).toBe(status)
}

describe('X-Request-Id', () => {
  test.for([
    ['GET', '/v1/me'],
    ['GET', '/v1/nothing'],
    ['POST', '/v1/me'],
    ['POST', '/v1/messages'],
    ['GET', '/v1/webhooks/%'],
    ['GET', '/operator/accounts'],
    ['GET', '/portal/api/v1/me'],
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['GET', '/docs'],
    ['GET', '/docs/style.css'],
    ['GET', '/openapi.json'],
    ['HEAD', '/healthz'],
    ['GET', '/'],
    ['GET', '/favicon.svg'],
    ['GET', '/assets/nothing.js'],
  ])('%s %s returns a generated id, or the client’s', async ([method, path]) => {
    const ids = [1, 2].map(async () => (await ask(gateway.url, method!, path!)).headers['x-request-id'])
    const [one, two] = await Promise.all(ids)
    expect(one).toMatch(OURS)
    expect(two).toMatch(OURS)
    expect(one).not.toBe(two)
    const own = await ask(gateway.url, method!, path!, { headers: { 'x-request-id': 'my~own/1' } })
    expect(own.headers['x-request-id']).toBe('my~own/1')
    if (own.status >= 400 && own.json !== undefined && path !== '/readyz') {
      expectError(own, own.status)
      const problem = await ask(gateway.url, method!, path!, { headers: { 'x-request-id': 'my~own/1', ...PROBLEM } })
      expectProblem(problem, own.status)
      expect(problem.json.request_id).toBe('my~own/1')
      expect(problem.headers['x-error-code']).toBe(own.headers['x-error-code'])
    }
  })

  test('keeps a client’s id of 1 to 128 visible characters and replaces any other', async () => {
    const idFor = async (own: string | string[]) =>
      (await ask(gateway.url, 'GET', '/healthz', { headers: { 'x-request-id': own } })).headers['x-request-id']
    expect(await idFor('x')).toBe('x')
    expect(await idFor('y'.repeat(128))).toBe('y'.repeat(128))
    for (const own of ['', 'y'.repeat(129), 'two words', 'tab\there', 'ünseen', ['a', 'b']])
      expect(await idFor(own)).toMatch(OURS)
  })

  test('is set on a stream', async () => {
    const leaving = new AbortController()
    const stream = await fetch(`${gateway.url}/v1/deliveries/events`, {
      headers: { authorization: `Bearer ${account.key}`, 'x-request-id': 'stream-1' },
      signal: leaving.signal,
    })
    expect(stream.headers.get('x-request-id')).toBe('stream-1')
    leaving.abort()
  })

  test.for([
    ['no HTTP at all', 'nonsense\r\n\r\n', 400, 'request_malformed'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'request_malformed'],
    ['a broken escape', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400, 'request_malformed'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    [
      'another expectation',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: cake\r\n\r\n',
      417,
      'expectation_failed',
    ],
  ] as const)('is set on the response to %s, which also has a body', async ([, bytes, status, code]) => {
    const answer = readAnswer(await sendBytes(gateway.url, bytes))
    expectError(answer, status)
    expect(answer.headers['x-error-code']).toBe(code)
    expect(answer.headers['x-request-id']).toMatch(OURS)
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })
})

describe('An error response', () => {
  const [unknown, strange] = ['/v1/nothing', '/v1/webhooks/%']
  const routes = [
    ...[...accountRoutes, ...operatorRoutes].map(({ method, path }) => [method, path]),
    ...[...accountRoutes, ...userRoutes].map(({ method, path }) => [method, `/portal/api${path}`]),
    ...[...operatorRoutes].map(({ method, path }) => [method, `/portal/api${path}`]),
    ['POST', '/portal/api/session'],
    ['PATCH', '/v1/me'],
    ['GET', unknown],
    ['GET', strange],
  ]

  test('to an unauthenticated request has one field and both headers, or is a problem document, on every route', async () => {
    for (const [method, path] of routes) {
      const filled = path!.replace(/:[a-z_]+/g, 'x')
      const plain = await ask(gateway.url, method!, filled)
      expect(plain.status, `${method} ${path}`).toBeGreaterThanOrEqual(400)
      expectError(plain, plain.status)
      expectProblem(await ask(gateway.url, method!, filled, { headers: PROBLEM }), plain.status)
    }
  })

  test.for<[string, number, unknown, Record<string, string>]>([
    ['a body that is not JSON', 400, '{', {}],
    ['a body that is too large', 413, 'x'.repeat(1_100_000), {}],
    ['another content type', 415, '{}', { 'content-type': 'text/plain' }],
  ])('to %s has status %d in both forms', async ([, status, body, headers]) => {
    expectError(await account.ask('POST', '/v1/messages', body, headers), status)
    expectProblem(await account.ask('POST', '/v1/messages', body, { ...headers, ...PROBLEM }), status)
  })

  test('with status 429 has both forms, and Retry-After in each', async () => {
    const slow = await gateway.account({ limits: { requests_per_second: 0.01, requests_burst: 2 } })
    await Promise.all([slow.ask('GET', '/v1/me'), slow.ask('GET', '/v1/me')])
    const plain = await slow.ask('GET', '/v1/me')
    expectError(plain, 429, 'rate limit exceeded')
    const problem = await slow.ask('GET', '/v1/me', undefined, PROBLEM)
    expectProblem(problem, 429, 'rate_limited')
    for (const { headers } of [plain, problem]) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  })

  test.for(['*/*', 'application/json', 'application/problem+json;q=0', 'application/problem+json;q=0.5, */*'])(
    'has the plain body with Accept: %s',
    async accept => expectError(await ask(gateway.url, 'GET', '/v1/me', { headers: { accept } }), 401),
  )

  test('treats several Accept headers as one list', async () => {
    const accept = ['application/json;q=0.5', 'application/problem+json']
    expectProblem(await ask(gateway.url, 'GET', '/v1/me', { headers: { accept } }), 401)
  })

  test('is the only one with X-Error-Code: a success has none, whatever Accept says', async () => {
    const answer = await account.ask('GET', '/v1/me', undefined, PROBLEM)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(answer.headers).not.toHaveProperty('x-error-code')
  })
})

describe('Error codes', () => {
  const send = (change: object, headers?: Record<string, string>) =>
    account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x', ...change }, headers)

  test('are a closed list: the page that type links to and openapi.json have the same codes', async () => {
    const codes = Object.keys(ERROR_CODES)
    for (const code of codes) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    const { type } = (await ask(gateway.url, 'GET', '/v1/me', { headers: PROBLEM })).json
    expect(type).toBe(`${gateway.url}/docs/errors#api_key_missing`)
    const page = await ask('', 'GET', type.split('#')[0])
    const explained = [...page.text.matchAll(/<article id="([a-z_]+)">[^]*?Status (\d+)/g)]
    expect(explained.map(([, code, status]) => [code, Number(status)])).toEqual(
      Object.entries(ERROR_CODES).map(([code, kind]) => [code, STATUS[kind]]),
    )
    const document = (await ask(gateway.url, 'GET', '/openapi.json')).json
    expect(document.components.schemas.ErrorCode.enum).toEqual(codes)
  })

  test.for<[object, string, string | undefined]>([
    [{ to: undefined }, 'parameter_missing', 'to'],
    [{ to: 5 }, 'parameter_invalid', 'to'],
    [{ to: 'bob@example.com' }, 'parameter_invalid', 'to'],
    [{ colour: 'red' }, 'parameter_unknown', 'colour'],
    [{ poll: { name: 'q', options: ['a', 'b'], colour: 1 } }, 'parameter_unknown', 'poll.colour'],
    [{ poll: { name: 'q', options: ['a'] }, text: undefined }, 'parameter_invalid', 'poll.options'],
    [{ media_type: 'image' }, 'parameters_conflict', 'media_url'],
    [{ filename: 'a.txt' }, 'parameters_conflict', 'filename'],
    [{ text: undefined }, 'parameter_missing', 'text'],
    [{ media_type: 'image', media_url: 'https://10.0.0.1/a.png' }, 'url_not_allowed', 'media_url'],
    [{ session_id: 'nonsense' }, 'parameter_invalid', 'session_id'],
    [{ send_at: 'tomorrow' }, 'parameter_invalid', 'send_at'],
  ])('for a send with %o are %s, and param is %s', async ([change, code, param]) => {
    const answer = await send(change)
    expectError(answer, 400)
    expect(answer.headers['x-error-code']).toBe(code)
    const problem = await send(change, PROBLEM)
    expectProblem(problem, 400, code, param)
    expect(problem.json.detail).toBe(answer.json.error)
  })

  test.for(['01711234567', '0049 171 1234567', '+0171 1234567', '(0171) 123-4567'])(
    'include 400 for a recipient that evidently has no country code: %s',
    async to => {
      const answer = await send({ to })
      expectError(answer, 400, 'to must begin with a country code, not with 0: +49 171 1234567')
      expectProblem(await send({ to }, PROBLEM), 400, 'country_code_missing', 'to')
    },
  )

  test.for(['+49 171 1234567', '+49 (0)171 1234567', '15550001111', '0015550001111@s.whatsapp.net', '12345'])(
    'are not used for a recipient that may be valid: %s',
    async to => expect((await send({ to })).status).toBe(202),
  )

  test.for<[string | undefined, string, RegExp]>([
    [undefined, 'api_key_missing', /: the Authorization header is missing/],
    ['Basic abc', 'api_key_missing', /: the Authorization header must be "Bearer <API key>"$/],
    ['Bearer short', 'api_key_invalid', /: a key is ptn_ and 40/],
    [`Bearer ptn_${'a'.repeat(40)}`, 'api_key_invalid', /: there is no such key, or it was revoked$/],
  ])(
    'for 401 with %s share one text; the problem document has the code %s and names what is missing',
    async ([authorization, code, text]) => {
      const given: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await ask(gateway.url, 'GET', '/v1/me', { headers: given })
      expectError(answer, 401, 'missing or invalid API key')
      expect(answer.headers['x-error-code']).toBe(code)
      const problem = await ask(gateway.url, 'GET', '/v1/me', { headers: { ...given, ...PROBLEM } })
      expectProblem(problem, 401, code, 'Authorization')
      expect(problem.json.detail).toMatch(text)
    },
  )
})
