import type { TransportOptions } from './transport.ts'

export interface ConnectionOptions {
  /** Address of the gateway, such as https://gateway.example.com. Defaults to the environment variable POSTERN_URL. */
  readonly baseUrl?: string
  /** Timeout of one attempt, including the response body. */
  readonly timeoutMs?: number
  readonly maxRetries?: number
  /** The longest wait before a retry. If Retry-After is longer, the call throws its error instead. */
  readonly maxWaitMs?: number
  readonly fetch?: typeof fetch
}

/** Reports a wrong option at once and by name, instead of with the first request that fails. */
export function checkOptions(
  options: ConnectionOptions,
  { name, token }: { name: string; token: unknown },
): TransportOptions {
  if (typeof token !== 'string' || token === '') throw new TypeError(`${name} is missing`)
  // A header may contain visible ASCII only.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError(`${name} contains a space, a line break or another character that no key has`)
  const { timeoutMs = 30_000, maxRetries = 3, maxWaitMs = 60_000, fetch = globalThis.fetch } = options
  if (typeof fetch !== 'function') throw new TypeError('fetch must be a function')
  checkNumber('timeoutMs', timeoutMs, 1)
  checkNumber('maxRetries', maxRetries, 0)
  checkNumber('maxWaitMs', maxWaitMs, 0)
  // Some runtimes reject a fetch that is called as a method of another object.
  const send: typeof globalThis.fetch = (input, init) => fetch(input, init)
  const baseUrl = addressOf(options.baseUrl ?? fromEnvironment('POSTERN_URL'))
  return { baseUrl, token, timeoutMs, maxRetries, maxWaitMs, fetch: send }
}

/** An environment variable, in runtimes that have them. */
export function fromEnvironment(name: 'POSTERN_URL' | 'POSTERN_API_KEY'): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name]
}

/** API keys, operator tokens and webhook secrets are easily confused. */
export function checkApiKey(apiKey: unknown): void {
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new TypeError('apiKey is missing: give it, or set POSTERN_API_KEY. It begins with ptn_')
  if (apiKey.startsWith('whsec_')) throw new TypeError('apiKey is the secret of a webhook; an API key begins with ptn_')
  if (!apiKey.startsWith('ptn_')) throw new TypeError('apiKey must begin with ptn_')
}

function addressOf(baseUrl: unknown): string {
  const example = 'such as http://127.0.0.1:8080'
  if (typeof baseUrl !== 'string' || baseUrl === '')
    throw new TypeError(`baseUrl is missing: give it, or set POSTERN_URL, ${example}`)
  if (!URL.canParse(baseUrl)) throw new TypeError(`baseUrl is not an address ${example}`)
  const url = new URL(baseUrl)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`baseUrl must begin with http:// or https://, ${example}`)
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError(`baseUrl must be an address alone, without user, query and fragment, ${example}`)
  if (/\/v1\/*$/.test(url.pathname)) throw new TypeError(`baseUrl must not end with /v1: ${example}`)
  return baseUrl
}

function checkNumber(name: string, value: unknown, atLeast: number): void {
  if (typeof value !== 'number' || !(value >= atLeast))
    throw new TypeError(`${name} must be a number of at least ${atLeast}`)
}
