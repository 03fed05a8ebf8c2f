import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../boot/config-error.ts'
import { getOwn } from '../runtime/get-own.ts'
import { withSecretFiles } from '../boot/secret-files.ts'
import { secretKeys } from '../boot/secret-keys.ts'
import { Seal } from '../store/seal.ts'
import type { BridgeSettings } from '#chatwoot/settings'
import { chooseSession, SESSION_HELP } from './choose-session.ts'
import { withListenerErrors } from './follow.ts'
import { CLIENT_HELP, type ClientOptions, openClient, openSdk, withUserErrors } from './gateway-client.ts'
import { type Address, Secret } from '../boot/untrusted-address.ts'

const BRIDGE_PORT = 8_091
const TIMEOUT_S = 20
const GRACE_S = 60

export const bridgeChatwootHelp = `postern bridge chatwoot --chatwoot https://… --chatwoot-account N --inbox N
                        [--data FOLDER] [--groups] [--retry] [--json]
                        [--host 127.0.0.1] [--port ${BRIDGE_PORT}]
                        [--public-url https://…] [--set-webhook] [--session ID]
                        [--files-url http://…] [--files-host HOST]
                        [--timeout 20] [--grace 60] [--url http://…]
                        [--key ptn_…] [--account acc_…]

Carries messages in both directions between a number and a Chatwoot inbox of the
type API, with files and receipts. It runs until you press Ctrl-C. The bridge
stores each message on disk before it acknowledges it, so a kill neither loses
nor duplicates one. It waits while the gateway or Chatwoot is unreachable.

In Chatwoot: add an inbox of the type API, copy the access token of an
administrator (Profile settings), and put
  CHATWOOT_URL=https://…  CHATWOOT_TOKEN=…  CHATWOOT_ACCOUNT=1
  CHATWOOT_INBOX=1
into the environment or .env. CHATWOOT_TOKEN_FILE names a file with the token
instead. docs/chatwoot.md has the rest.

  --chatwoot          the address of Chatwoot. Default: CHATWOOT_URL
  --chatwoot-account  the id of the account there. Default: CHATWOOT_ACCOUNT
  --inbox             the id of the inbox. Default: CHATWOOT_INBOX
  --data              the folder for the state of this bridge. Each bridge needs
                      its own. Default: ./bridge-chatwoot
  --port, --host      the address where Chatwoot posts webhooks and the gateway
                      fetches files; port 0 picks a free port
  --public-url        the same address as seen from outside. With a secret path
                      appended it is the webhook URL of the inbox, which the
                      bridge writes to the file webhook-url in --data
  --set-webhook       enter that URL in Chatwoot; needs an administrator's token
  --groups            include groups, each as one conversation
  --files-url         the address where the gateway fetches files, if it differs
                      from --public-url
  --files-host        hosts besides Chatwoot from which the bridge may fetch
                      files of agents. Default: CHATWOOT_FILES_HOST
  --timeout           seconds to wait for a response of Chatwoot. Default: 20
  --grace             additional seconds before the bridge repeats a post whose
                      outcome it does not know. Default: 60
  --retry             retry messages that failed permanently, before later
                      messages of the same chat
  --json              print actions and errors as lines of JSON, without
                      content, numbers or secrets
${SESSION_HELP}
${CLIENT_HELP}`

interface BridgeOptions extends ClientOptions {
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

export async function bridgeChatwoot(options: BridgeOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const settings = readBridgeSettings(options, env)
  const [{ BridgeError }, { GatewayNotRunning }, { BridgeLog }, { makeBridgeFolder, openLedger }, starting] =
    await Promise.all([
      import('#chatwoot/bridge-error'),
      import('#chatwoot/gateway'),
      import('#chatwoot/bridge-log'),
      import('#chatwoot/open-ledger'),
      import('#chatwoot/start-bridge'),
    ])
  const connect = () =>
    openSdk(options, env).catch((error: unknown) => {
      const isNotRunning = error instanceof ConfigError && error.message.startsWith('no gateway runs')
      throw isNotRunning ? new GatewayNotRunning(error.message) : error
    })
  const run = async (): Promise<void> => {
    makeBridgeFolder(settings.dataDir)
    const keys = secretKeys(withSecretFiles(env)['POSTERN_SECRET_KEY'], false, settings.dataDir)
    const ledger = openLedger(settings.dataDir, { seal: new Seal(keys), clock: systemClock })
    const ending = new AbortController()
    const end = (): void => ending.abort()
    try {
      const started = await starting.startBridge({
        settings,
        ledger,
        log: new BridgeLog(options.json === true, systemClock, {
          out: line => console.log(line),
          error: line => console.error(line),
        }),
        clock: systemClock,
        connect,
        chooseSession: async before =>
          await chooseSession(await openClient(options, env), { flag: options.session ?? before, env }),
        ending,
      })
      process.once('SIGINT', end).once('SIGTERM', end)
      await starting.runBridge(started)
    } finally {
      process.off('SIGINT', end).off('SIGTERM', end)
      ledger.close()
    }
  }
  await withListenerErrors(() => withUserErrors(BridgeError, run))
}

const NAMES = ['URL', 'TOKEN', 'TOKEN_FILE', 'ACCOUNT', 'INBOX', 'FILES_HOST'].map(name => `CHATWOOT_${name}`)

type Env = NodeJS.ProcessEnv

/** An option wins over the environment. An error names the setting and how to correct it. */
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
  const { 'public-url': publicUrl, 'files-url': filesUrl } = options
  const filesHost = options['files-host'] ?? getOwn(env, 'CHATWOOT_FILES_HOST')
  return {
    origin,
    token: tokenOf(env, { url: origin, from: options.chatwoot === undefined ? 'CHATWOOT_URL' : '--chatwoot' }),
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

function tokenOf(env: Env, chatwoot: Address): string {
  const secret = Secret.of(env, 'CHATWOOT_TOKEN')
  if (secret === undefined)
    throw new ConfigError(
      'CHATWOOT_TOKEN is not set: the access token of a user of Chatwoot (Profile settings, Access token), or CHATWOOT_TOKEN_FILE.',
    )
  const token = secret.for(chatwoot)
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
