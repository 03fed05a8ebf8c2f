import { afterEach, expect, test, vi } from 'vitest'
import { PosternClient, type PosternClientOptions } from './client.ts'
import { PosternOperator } from './operator.ts'
import { receiveWebhook } from './receive-webhook.ts'

const good = { baseUrl: 'http://127.0.0.1:8080', apiKey: 'ptn_test' }

test.each([
  ['no address', { baseUrl: '' }, 'baseUrl is missing'],
  ['what is no address', { baseUrl: '127.0.0.1:8080' }, 'baseUrl is not an address such as'],
  ['another protocol', { baseUrl: 'ftp://gateway' }, 'baseUrl must begin with http:// or https://'],
  ['an address with a password', { baseUrl: 'http://a:b@gateway' }, 'without user'],
  ['an address with a query', { baseUrl: 'http://gateway?x=1' }, 'without user, query and fragment'],
  ['an address that ends with the version', { baseUrl: 'http://gateway/v1/' }, 'must not end with /v1'],
  ['no key', { apiKey: undefined }, 'apiKey is missing'],
  ['the secret of a webhook as key', { apiKey: 'whsec_1' }, 'apiKey is the secret of a webhook'],
  ['another token as key', { apiKey: 'sk_live_1' }, 'apiKey must begin with ptn_'],
  ['a key with a line break', { apiKey: 'ptn_test\n' }, 'apiKey contains a space, a line break'],
  ['a timeout of nothing', { timeoutMs: 0 }, 'timeoutMs must be a number of at least 1'],
  ['retries that are no number', { maxRetries: Number.NaN }, 'maxRetries must be a number of at least 0'],
  ['a fetch that is none', { fetch: 'node-fetch' }, 'fetch must be a function'],
])('%s is refused at once, and named', (_, change, said) => {
  const make = () => new PosternClient({ ...good, ...change } as unknown as PosternClientOptions)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(said)
})

afterEach(() => vi.unstubAllEnvs())

test('the address and the key are those of the environment where none are given, and an empty one is none', async () => {
  vi.stubEnv('POSTERN_URL', 'http://gateway.test:8080')
  vi.stubEnv('POSTERN_API_KEY', 'ptn_of_the_environment')
  const asked: Array<[string, string | null]> = []
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    asked.push([String(url), new Headers(init?.headers).get('authorization')])
    return Response.json({})
  }
  await new PosternClient({ fetch }).me()
  await new PosternClient({ baseUrl: 'http://other.test', apiKey: 'ptn_given', fetch }).me()
  expect(asked).toEqual([
    ['http://gateway.test:8080/v1/me', 'Bearer ptn_of_the_environment'],
    ['http://other.test/v1/me', 'Bearer ptn_given'],
  ])
  vi.stubEnv('POSTERN_API_KEY', '')
  expect(() => new PosternClient()).toThrow('apiKey is missing: give it, or set POSTERN_API_KEY.')
  vi.stubEnv('POSTERN_URL', '')
  expect(() => new PosternClient({ apiKey: 'ptn_x' })).toThrow('baseUrl is missing: give it, or set POSTERN_URL')
})

test('what is right is taken, and a key is in no error', () => {
  expect(() => new PosternClient({ ...good, baseUrl: 'https://gateway.example.com/postern/' })).not.toThrow()
  expect(() => new PosternOperator({ baseUrl: good.baseUrl, operatorToken: '' })).toThrow('operatorToken is missing')
  expect(() => new PosternClient({ ...good, apiKey: 'sk_secret' })).toThrow(/^(?!.*sk_secret)/)
})

test.each([
  ['no secret', { secret: undefined }, 'secret must be the secret of a webhook'],
  ['a secret without its prefix', { secret: '0123' }, 'it begins with whsec_'],
  ['no function', { onEvent: undefined }, 'onEvent must be a function'],
])('a handler with %s is refused', (_, change, said) => {
  const options = { secret: 'whsec_1', onEvent: () => {}, ...change } as unknown as Parameters<typeof receiveWebhook>[0]
  expect(() => receiveWebhook(options)).toThrow(said)
})
