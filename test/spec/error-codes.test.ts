import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CODES } from '../../src/domain/error-codes.ts'
import { STATUS } from '../../src/http/error-response.ts'
import { ask, expectError, sendBytes } from '../harness/client.ts'
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
  ])('%s %s answers with an id of its own, or with the client’s', async ([method, path]) => {
    const ids = [1, 2].map(async () => (await ask(gateway.url, method!, path!)).headers['x-request-id'])
    const [one, two] = await Promise.all(ids)
    expect(one).toMatch(OURS)
    expect(two).toMatch(OURS)
    expect(one).not.toBe(two)
    const own = await ask(gateway.url, method!, path!, { headers: { 'x-request-id': 'my~own/1' } })
    expect(own.headers['x-request-id']).toBe('my~own/1')
    if (own.status >= 400 && own.json !== undefined && path !== '/readyz') {
      expectError(own, own.status)
      expect(own.json.request_id).toBe('my~own/1')
    }
  })

  test('a client’s own is kept where it is 1 to 128 visible characters, else there is one of ours', async () => {
    const idFor = async (own: string | string[]) =>
      (await ask(gateway.url, 'GET', '/healthz', { headers: { 'x-request-id': own } })).headers['x-request-id']
    expect(await idFor('x')).toBe('x')
    expect(await idFor('y'.repeat(128))).toBe('y'.repeat(128))
    for (const own of ['', 'y'.repeat(129), 'two words', 'tab\there', 'ünseen', ['a', 'b']])
      expect(await idFor(own)).toMatch(OURS)
  })

  test('a stream has one', async () => {
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
    [
      'another expectation',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: cake\r\n\r\n',
      417,
      'expectation_failed',
    ],
  ] as const)('%s gets one, and a body', async ([, bytes, status, code]) => {
    const raw = await sendBytes(gateway.url, bytes)
    expect(Number(raw.slice(9, 12))).toBe(status)
    const body = JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4))
    expect(body.code).toBe(code)
    expect(/^x-request-id: (.*)$/im.exec(raw)?.[1]?.trim()).toBe(body.request_id)
  })
})

describe('codes', () => {
  const send = (change: object) =>
    account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x', ...change })

  test('the list is closed: the page that doc_url leads to and openapi.json have the same codes', async () => {
    const codes = Object.keys(ERROR_CODES)
    for (const code of codes) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    const { doc_url } = (await ask(gateway.url, 'GET', '/v1/me')).json
    expect(doc_url).toBe(`${gateway.url}/docs/errors#api_key_missing`)
    const page = await ask('', 'GET', doc_url.split('#')[0])
    const explained = [...page.text.matchAll(/<article id="([a-z_]+)">[^]*?Status (\d+)/g)]
    expect(explained.map(([, code, status]) => [code, Number(status)])).toEqual(
      Object.entries(ERROR_CODES).map(([code, kind]) => [code, STATUS[kind]]),
    )
    const document = (await ask(gateway.url, 'GET', '/openapi.json')).json
    expect(document.components.schemas.Error.properties.code.enum).toEqual(codes)
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
  ])('a send with %o is %s, and param is %s', async ([change, code, param]) => {
    const answer = await send(change)
    expectError(answer, 400)
    expect([answer.json.code, answer.json.param]).toEqual([code, param])
  })

  test.for(['01711234567', '0049 171 1234567', '+0171 1234567', '(0171) 123-4567'])(
    'to without a country code is 400 where it can be known: %s',
    async to => {
      const answer = await send({ to })
      expectError(answer, 400, 'to must begin with a country code, not with 0: +49 171 1234567')
      expect([answer.json.code, answer.json.param]).toEqual(['country_code_missing', 'to'])
    },
  )

  test.for(['+49 171 1234567', '+49 (0)171 1234567', '15550001111', '0015550001111@s.whatsapp.net', '12345'])(
    'to that may be valid is taken: %s',
    async to => expect((await send({ to })).status).toBe(202),
  )

  test.for<[string | undefined, string, RegExp]>([
    [undefined, 'api_key_missing', /: the Authorization header is missing/],
    ['Basic abc', 'api_key_missing', /: the Authorization header must be "Bearer <API key>"$/],
    ['Bearer short', 'api_key_invalid', /: a key is ptn_ and 40/],
    [`Bearer ptn_${'a'.repeat(40)}`, 'api_key_invalid', /: there is no such key, or it was revoked$/],
  ])('401 for %s says what is missing: %s', async ([authorization, code, text]) => {
    const answer = await ask(
      gateway.url,
      'GET',
      '/v1/me',
      authorization === undefined ? {} : { headers: { authorization } },
    )
    expectError(answer, 401, text)
    expect([answer.json.code, answer.json.param]).toEqual([code, 'Authorization'])
  })
})
