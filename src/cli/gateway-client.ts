import { ConfigError, readPlace } from '../config.ts'
import { secretOf } from '../boot/secret-files.ts'
import { findAccess, type LocalAccess } from '../boot/local-access.ts'
import { askGateway, localOrigin } from './ask-gateway.ts'
import { ACCEPT, refusedBy } from './refusal.ts'
import { LOOPBACK, refuseStrangeAddress } from './strange-address.ts'

/** How commands that ask a gateway are told which, and as whom. */
export const CLIENT_OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  account: { type: 'string' },
} as const

export const CLIENT_HELP = `  --url       the gateway, else POSTERN_URL, else the one that runs with this
              data folder, else POSTERN_PUBLIC_URL, else POSTERN_HOST and
              POSTERN_PORT
  --key       an API key, else POSTERN_API_KEY. On the machine where the
              gateway runs, in its folder, none is needed
  --account   act for this account (acc_…) in place of a key, in the folder of
              a running gateway; else the account of the first start`

export interface ClientOptions {
  url?: string | undefined
  key?: string | undefined
  account?: string | undefined
}

type Headers = Record<string, string>

export interface Answered {
  status: number
  /** Empty where it is no JSON. */
  json: Record<string, unknown>
  isJson: boolean
}

interface Asking {
  /** A key of somebody's choice is refused for good; a token of the data folder changes with each start. */
  hasKey?: boolean
  signal?: AbortSignal
}

/** A gateway that answers, and who asks it. */
export class GatewayClient {
  readonly url: string
  readonly hasKey: boolean
  readonly #headers: Record<string, string>
  readonly #signal: AbortSignal | undefined

  constructor(url: string, headers: Record<string, string>, { hasKey = false, signal }: Asking = {}) {
    this.url = url
    this.hasKey = hasKey
    this.#headers = headers
    this.#signal = signal
  }

  /** The same, whose requests end with this signal. */
  endingWith(signal: AbortSignal): GatewayClient {
    return new GatewayClient(this.url, this.#headers, { hasKey: this.hasKey, signal })
  }

  /** Whatever it answers; `undefined` where it does not. */
  async ask(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answered | undefined> {
    const answer = await this.open(method, path, { body, headers }).catch(() => undefined)
    if (answer === undefined) return undefined
    const json = await jsonOf(answer)
    return { status: answer.status, json: json ?? {}, isJson: json !== undefined }
  }

  /** What it answers where it does what it is asked; else its own words. */
  async call<T = Record<string, unknown>>(method: string, path: string, body?: unknown, headers?: Headers): Promise<T> {
    const answer = await this.ask(method, path, body, headers)
    if (answer === undefined) throw new ConfigError(`the gateway at ${this.url} does not answer. Is it still running?`)
    if (answer.status >= 300) throw refusedBy('the gateway', answer)
    return answer.json as T
  }

  /** An answer as it begins, for whoever reads it as it comes. */
  async open(
    method: string,
    path: string,
    {
      body,
      headers,
      signal = this.#signal,
    }: { body?: unknown; headers?: Headers | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<Response> {
    return await fetch(this.url + path, {
      method,
      headers: { ...ACCEPT, ...this.#headers, ...headers, ...(isJson(body) ? JSON_TYPE : {}) },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
/** A file goes as it is, and `headers` say its type. */
const isJson = (body: unknown): boolean => body !== undefined && !(body instanceof Uint8Array)

/** What says that it is something else may have no end. */
async function jsonOf(answer: Response): Promise<Record<string, unknown> | undefined> {
  try {
    if (/\bjson\b/.test(answer.headers.get('content-type') ?? ''))
      return (await answer.json()) as Record<string, unknown>
    await answer.body?.cancel()
  } catch {
    // It ended before it was whole.
  }
  return undefined
}

/** Who asks which gateway: a flag wins over a variable, a variable over the gateway that runs with the data folder. */
export interface Target {
  url: string
  token: string
  hasKey: boolean
}

/** With a key where one is given; else with the token of the data folder's gateway, which its owner can read. */
export async function findTarget(options: ClientOptions, env: NodeJS.ProcessEnv): Promise<Target> {
  if (options.key !== undefined && options.account !== undefined)
    throw new ConfigError('--account and --key were given: a key is of one account already. Leave one of them out.')
  const place = readPlace(env)
  const named = namedUrl(options.url, env)
  const local = await runningHere(place.dataDir, named?.url)
  const variable = options.account === undefined ? secretOf(env, 'POSTERN_API_KEY') || undefined : undefined
  const key = options.key ?? variable
  if (key !== undefined) {
    const setting = local ? 'POSTERN_DATA_DIR' : place.publicUrl ? 'POSTERN_PUBLIC_URL' : 'POSTERN_HOST'
    const { url, from } = named ?? { url: local?.url ?? place.publicUrl ?? localOrigin(place), from: setting }
    if (from !== '--url' && options.key === undefined)
      refuseStrangeAddress(env, 'POSTERN_API_KEY', { url, setting: from })
    return { url, token: key, hasKey: true }
  }
  if (local !== undefined) return { ...local, hasKey: false }
  if (named !== undefined && options.account !== undefined)
    throw new ConfigError(
      `--account needs the gateway of this data folder, and ${named.url} is not it. Give --key in its place.`,
    )
  if (named !== undefined) throw new ConfigError('--key is missing: give an API key, or set POSTERN_API_KEY.')
  throw new ConfigError(
    `no gateway runs with the data folder ${place.dataDir}. Start one (postern start), set POSTERN_DATA_DIR to its folder, or give --url and --key (POSTERN_URL and POSTERN_API_KEY).`,
  )
}

export async function openClient(options: ClientOptions, env: NodeJS.ProcessEnv): Promise<GatewayClient> {
  const { url, token, hasKey } = await findTarget(options, env)
  if (!hasKey) return localClient({ url, token }, options.account)
  return new GatewayClient(url, { authorization: `Bearer ${token}` }, { hasKey })
}

/** The gateway that a flag or else a variable names, and which of them. */
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

export const localClient = (local: { url: string; token: string }, account?: string): GatewayClient =>
  new GatewayClient(local.url, {
    authorization: `Bearer ${local.token}`,
    ...(account === undefined ? {} : { 'x-postern-account': account }),
  })

/** The gateway of this folder that answers, or the one at this address if it is of this folder. */
export async function runningHere(dataDir: string, url?: string): Promise<{ url: string; token: string } | undefined> {
  for (const access of findAccess(dataDir)) {
    if (url !== undefined && !isAt(access, url)) continue
    if ((await askGateway(`${access.url}/healthz`))?.ok) return access
  }
  return undefined
}

/** A folder may call only a gateway of this machine by another address: it cannot lead a named one elsewhere. */
function isAt(access: LocalAccess, url: string): boolean {
  const isOfMachine = URL.canParse(access.url) && LOOPBACK.test(new URL(access.url).hostname)
  const known = [access.url, ...(isOfMachine && access.publicUrl !== undefined ? [access.publicUrl] : [])]
  return known.some(each => URL.canParse(each) && comparable(each) === comparable(url))
}

function comparable(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host.replace(/^localhost(?=:|$)/, '127.0.0.1')}`
}
