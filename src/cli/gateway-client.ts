import { type Config, ConfigError, readPlace } from '../config.ts'
import type { PosternClient } from '#sdk'
import { findAccess, type LocalAccess } from '../boot/local-access.ts'
import { fetchGateway, localOrigin } from './fetch-gateway.ts'
import { type Address, LOOPBACK, Secret } from '../boot/untrusted-address.ts'
import { printable } from './terminal.ts'

/** The options that name the gateway and the account of a command. */
export const CLIENT_OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string', secretIn: 'POSTERN_API_KEY or POSTERN_API_KEY_FILE' },
  account: { type: 'string' },
} as const

export const CLIENT_HELP = `  --url       the gateway. Default: POSTERN_URL, the gateway that runs with this
              data folder, POSTERN_PUBLIC_URL, or POSTERN_HOST and POSTERN_PORT
  --key       an API key; - reads it from standard input. Default:
              POSTERN_API_KEY. In the folder of a running gateway you need no
              key
  --account   act for this account (acc_…) without a key, in the folder of a
              running gateway. Default: the account of the first start`

export interface ClientOptions {
  url?: string | undefined
  key?: string | undefined
  account?: string | undefined
}

type Headers = Record<string, string>

/** Longer than a request may wait for new events. */
const REQUEST_MS = 60_000

export interface Answered {
  status: number
  /** Empty if the body is not JSON. */
  json: Record<string, unknown>
  isJson: boolean
}

/** A running gateway, and the headers that authenticate the command. */
export class GatewayClient {
  readonly url: string
  readonly headers: Record<string, string>
  /** The gateway rejects a wrong key permanently; the token of a data folder changes with each start. */
  readonly hasKey: boolean
  readonly #name: string

  constructor(url: string, headers: Record<string, string>, { hasKey = false, name = 'the gateway' } = {}) {
    this.url = url
    this.headers = headers
    this.hasKey = hasKey
    this.#name = name
  }

  /** Any response; `undefined` if the gateway does not respond. */
  async request(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answered | undefined> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...ACCEPT, ...this.headers, ...headers, ...(isJson(body) ? JSON_TYPE : {}) },
      ...(body === undefined
        ? {}
        : body instanceof ReadableStream
          ? { body, duplex: 'half' }
          : { body: asBytes(body) }),
    }).catch(() => undefined)
    if (response === undefined) return undefined
    const json = await jsonOf(response)
    return { status: response.status, json: json ?? {}, isJson: json !== undefined }
  }

  /** The body of a successful response. */
  async call<T = Record<string, unknown>>(method: string, path: string, body?: unknown, headers?: Headers): Promise<T> {
    const response = await this.request(method, path, body, headers)
    if (response === undefined)
      throw new ConfigError(`the gateway at ${this.url} does not answer. Is it still running?`)
    if (response.status >= 300 || (!response.isJson && response.status !== 204)) throw rejectedBy(this.#name, response)
    return response.json as T
  }

  /** The file of a successful response. */
  async download(path: string, body: unknown): Promise<AsyncIterable<Uint8Array>> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { accept: 'application/octet-stream, application/problem+json', ...this.headers, ...JSON_TYPE },
      body: JSON.stringify(body),
    }).catch(() => undefined)
    if (response === undefined)
      throw new ConfigError(`the gateway at ${this.url} does not answer. Is it still running?`)
    if (response.status !== 200 || response.body === null)
      throw rejectedBy(this.#name, { status: response.status, json: (await jsonOf(response)) ?? {} })
    return response.body
  }
}

/** Errors in the format of RFC 9457 name the cause of this case and a page that explains it. */
const ACCEPT = { accept: 'application/json, application/problem+json' } as const
const JSON_TYPE = { 'content-type': 'application/json' }
/** A file is sent as it is, and `headers` name its type. */
const isJson = (body: unknown): boolean =>
  body !== undefined && !(body instanceof Uint8Array) && !(body instanceof ReadableStream)
const asBytes = (body: unknown): Uint8Array<ArrayBuffer> | string =>
  body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body)

/** A body of another type may be a stream without an end, so it is not read. */
async function jsonOf(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    if (/\bjson\b/.test(response.headers.get('content-type') ?? ''))
      return (await response.json()) as Record<string, unknown>
    await response.body?.cancel()
  } catch {
    // The connection closed before the body was complete.
  }
  return undefined
}

type Body = Record<string, unknown>

/** The gateway rejected a request. */
export class Rejected extends ConfigError {
  /** The field that it rejects, if it names one. */
  readonly param: string | undefined

  constructor(message: string, { readOn, param }: { readOn: string | undefined; param: string | undefined }) {
    super(message, { readOn })
    this.param = param
  }
}

/** The error for a rejected request. A proxy or another version may send a plain `error` in place of a problem. */
export function rejectedBy(name: string, { status, json }: { status: number; json: Body }, cure = ''): Rejected {
  const text = [json['detail'], json['error']].find(each => typeof each === 'string' && each !== '') ?? 'no JSON'
  const { param } = json
  return new Rejected(`${name} answered ${status}: ${printable(text as string)}${cure}`, {
    readOn: pageOf(json),
    param: typeof param === 'string' ? param : undefined,
  })
}

/** Runs code of a package. An error that the user can correct becomes a ConfigError; so does a rejection by the gateway. */
export async function withUserErrors<T>(
  UserError: new (message: string) => Error & { readOn?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UserError)
      throw new ConfigError(printable(error.message), { readOn: pageOf({ type: error.readOn }) })
    const { PosternError } = await import('#sdk')
    if (!(error instanceof PosternError)) throw error
    const text =
      error.status === 0
        ? ((error.cause as Error | undefined)?.message ?? error.message)
        : `the gateway answered ${error.status}: ${error.message}`
    throw new ConfigError(printable(text), { readOn: pageOf({ type: error.docUrl }) })
  }
}

/** Only visible ASCII may reach the terminal. */
function pageOf({ type }: Body): string | undefined {
  return typeof type === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(type) ? type : undefined
}

/** The gateway and its credential: an option wins over a variable, a variable over the gateway of the data folder. */
export interface Target {
  url: string
  token: string
  hasKey: boolean
}

/** Uses the given key, otherwise the token in the data folder, which only its owner can read. */
export async function findTarget(options: ClientOptions, env: NodeJS.ProcessEnv): Promise<Target> {
  if (options.key !== undefined && options.account !== undefined)
    throw new ConfigError(
      '--account and --key were given: a key belongs to one account already. Leave one of them out.',
    )
  const place = readPlace(env)
  const named = namedUrl(options.url, env)
  const local = await runningHere(place.dataDir, named?.url)
  const key = keyOf(options, env)
  if (key !== undefined) {
    const address: Address =
      named ?? (local === undefined ? placeAddress(place) : { url: local.url, from: 'POSTERN_DATA_DIR' })
    return { url: address.url, token: key.for(address), hasKey: true }
  }
  if (local !== undefined) return { ...local, hasKey: false }
  if (named !== undefined && options.account !== undefined)
    throw new ConfigError(
      `--account needs the gateway of this data folder, and ${named.url} is not it. Give --key instead.`,
    )
  if (named !== undefined) throw new ConfigError('--key is missing: give an API key, or set POSTERN_API_KEY.')
  throw new ConfigError(
    `no gateway runs with the data folder ${place.dataDir}. Start one (postern start), set POSTERN_DATA_DIR to its folder, or give --url and --key (POSTERN_URL and POSTERN_API_KEY).`,
  )
}

function keyOf({ key, account }: ClientOptions, env: NodeJS.ProcessEnv): Secret | undefined {
  if (key !== undefined) return Secret.given(env, '--key', key)
  return account === undefined ? Secret.of(env, 'POSTERN_API_KEY') : undefined
}

/** The address that the settings of the gateway itself name. */
export const placeAddress = (place: Pick<Config, 'host' | 'port' | 'publicUrl'>): Address =>
  place.publicUrl === null
    ? { url: localOrigin(place), from: 'POSTERN_HOST' }
    : { url: place.publicUrl, from: 'POSTERN_PUBLIC_URL' }

export async function openClient(options: ClientOptions, env: NodeJS.ProcessEnv): Promise<GatewayClient> {
  const { url, token, hasKey } = await findTarget(options, env)
  if (!hasKey) return localClient({ url, token }, options.account)
  return new GatewayClient(url, { authorization: `Bearer ${token}` }, { hasKey })
}

/** A client of the SDK for the same gateway. It does not retry: a command reports the first failure. */
export async function openSdk(
  options: ClientOptions,
  env: NodeJS.ProcessEnv,
  { timeoutMs = REQUEST_MS } = {},
): Promise<{ client: PosternClient; url: string; hasKey: boolean }> {
  const [{ url, headers, hasKey }, { PosternClient }] = await Promise.all([openClient(options, env), import('#sdk')])
  // The token of a data folder is no API key, and an account is chosen by a header of the command line.
  const authenticated: typeof fetch = (input, init) => {
    const sent = { ...(init?.headers as Record<string, string>), ...headers }
    return fetch(input, { ...init, headers: sent }).catch((cause: unknown) => {
      throw new Error(`the gateway at ${url} does not answer. Is it still running?`, { cause })
    })
  }
  const client = new PosternClient({ baseUrl: url, apiKey: 'ptn_', fetch: authenticated, timeoutMs, maxRetries: 0 })
  return { client, url, hasKey }
}

/** The gateway of the option or the variable, and which of the two named it. */
export function namedUrl(
  flag: string | undefined,
  env: NodeJS.ProcessEnv,
): { url: string; from: '--url' | 'POSTERN_URL' } | undefined {
  const from = flag === undefined ? 'POSTERN_URL' : '--url'
  const url = flag ?? (env['POSTERN_URL'] || undefined)
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ConfigError(`${from} is not an address such as http://127.0.0.1:8080.`)
  return { url: url.replace(/\/+$/, ''), from }
}

const localClient = (local: { url: string; token: string }, account?: string): GatewayClient =>
  new GatewayClient(local.url, {
    authorization: `Bearer ${local.token}`,
    ...(account === undefined ? {} : { 'x-postern-account': account }),
  })

/** The running gateway of this folder; with an address, only if it is the one at this address. */
export async function runningHere(dataDir: string, url?: string): Promise<{ url: string; token: string } | undefined> {
  for (const access of findAccess(dataDir)) {
    if (url !== undefined && !isAt(access, url)) continue
    if ((await fetchGateway(`${access.url}/healthz`))?.ok) return access
  }
  return undefined
}

/** A folder may give another address only to a gateway on this machine: it cannot redirect a named gateway. */
function isAt(access: LocalAccess, url: string): boolean {
  const isOfMachine = URL.canParse(access.url) && LOOPBACK.test(new URL(access.url).hostname)
  const known = [access.url, ...(isOfMachine && access.publicUrl !== undefined ? [access.publicUrl] : [])]
  return known.some(each => URL.canParse(each) && comparable(each) === comparable(url))
}

function comparable(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host.replace(/^localhost(?=:|$)/, '127.0.0.1')}`
}
