import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { ConfigError } from '../../boot/config-error.ts'
import { getOwn } from '../../runtime/get-own.ts'
import { secretOf } from '../../boot/secret-files.ts'
import type { ClientOptions } from '../gateway-client.ts'
import { refuseStrangeAddress } from '../strange-address.ts'

export const BRIDGE_PORT = 8_091
const TIMEOUT_S = 20
const GRACE_S = 60

export interface BridgeOptions extends ClientOptions {
  chatwoot?: string
  'chatwoot-account'?: string
  inbox?: string
  session?: string
  data?: string
  host?: string
  port?: string
  'public-url'?: string
  'files-host'?: string
  'files-url'?: string
  timeout?: string
  grace?: string
  groups?: boolean
  'set-webhook'?: boolean
  retry?: boolean
  json?: boolean
}

export interface BridgeSettings {
  /** Of Chatwoot, without a slash at its end. */
  origin: string
  token: string
  account: number
  inbox: number
  dataDir: string
  host: string
  port: number
  /** Where Chatwoot reaches the bridge; `null`: where it listens. */
  publicUrl: string | null
  /** Where the gateway does; `null`: where Chatwoot does. */
  filesUrl: string | null
  /** Hosts that files may be fetched from. */
  fileHosts: ReadonlySet<string>
  timeoutMs: number
  /** How long Chatwoot may be at work with a request whose caller has gone. */
  graceMs: number
  groups: boolean
  setWebhook: boolean
  /** What was given up is tried again. */
  retry: boolean
  /** Begins every Idempotency-Key: no two inboxes have the same. */
  keyPrefix: string
}

const NAMES = ['URL', 'TOKEN', 'TOKEN_FILE', 'ACCOUNT', 'INBOX', 'FILES_HOST'].map(name => `CHATWOOT_${name}`)

type Env = NodeJS.ProcessEnv

/** What was typed, then what the environment says. What is missing or wrong is named with its cure. */
export function readBridgeSettings(options: BridgeOptions, env: Env): BridgeSettings {
  const unknown = Object.keys(env).find(name => name.startsWith('CHATWOOT_') && !NAMES.includes(name))
  if (unknown !== undefined)
    throw new ConfigError(`${unknown} is not a setting of the bridge. Choose from ${NAMES.join(', ')}.`)
  const origin = address('--chatwoot (CHATWOOT_URL)', needed(options.chatwoot, env, 'URL', '--chatwoot'))
  const account = number(
    '--chatwoot-account',
    needed(options['chatwoot-account'], env, 'ACCOUNT', '--chatwoot-account'),
  )
  const inbox = number('--inbox', needed(options.inbox, env, 'INBOX', '--inbox'))
  if (options.chatwoot === undefined)
    refuseStrangeAddress(env, 'CHATWOOT_TOKEN', { url: origin, setting: 'CHATWOOT_URL' })
  const { 'public-url': publicUrl, 'files-url': filesUrl } = options
  const filesHost = options['files-host'] ?? getOwn(env, 'CHATWOOT_FILES_HOST')
  return {
    origin,
    token: tokenOf(env),
    account,
    inbox,
    dataDir: resolve(options.data ?? './bridge-chatwoot'),
    host: options.host ?? '127.0.0.1',
    port: within('--port', options.port ?? String(BRIDGE_PORT), 0, 65_535),
    publicUrl: publicUrl === undefined ? null : address('--public-url', publicUrl),
    filesUrl: filesUrl === undefined ? null : address('--files-url', filesUrl),
    fileHosts: new Set([new URL(origin).host, ...(filesHost ? filesHost.split(',').map(host => host.trim()) : [])]),
    timeoutMs: within('--timeout', options.timeout ?? String(TIMEOUT_S), 1, 300) * 1_000,
    graceMs: within('--grace', options.grace ?? String(GRACE_S), 0, 3_600) * 1_000,
    groups: options.groups === true,
    setWebhook: options['set-webhook'] === true,
    retry: options.retry === true,
    keyPrefix: `chatwoot-${markOf(`${origin} ${account} ${inbox}`)}`,
  }
}

const markOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

function needed(given: string | undefined, env: Env, name: string, flag: string): string {
  const value = given ?? (getOwn(env, `CHATWOOT_${name}`) || undefined)
  if (value !== undefined) return value
  throw new ConfigError(`${flag} is missing: give it, or set CHATWOOT_${name}. See \`postern bridge chatwoot --help\`.`)
}

function tokenOf(env: Env): string {
  const token = secretOf(env, 'CHATWOOT_TOKEN') || undefined
  if (token === undefined)
    throw new ConfigError(
      'CHATWOOT_TOKEN is not set: the access token of a user of Chatwoot (Profile settings, Access token), or CHATWOOT_TOKEN_FILE.',
    )
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ConfigError('CHATWOOT_TOKEN has a space or a hidden character. Copy it again.')
  return token
}

function address(what: string, value: string): string {
  if (URL.canParse(value)) {
    const url = new URL(value)
    if (/^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
      return url.href.replace(/\/+$/, '')
  }
  throw new ConfigError(`${what} is not an address such as https://chatwoot.example.com.`)
}

const number = (flag: string, value: string): number => within(flag, value, 1, Number.MAX_SAFE_INTEGER)

function within(flag: string, value: string, min: number, max: number): number {
  if (/^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
  throw new ConfigError(`${flag} must be a whole number from ${min}${max > 1e9 ? ' up' : ` to ${max}`}.`)
}
