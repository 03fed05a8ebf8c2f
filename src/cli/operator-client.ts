import { type Config, ConfigError, readConfig } from '../config.ts'
import { type Context, createContext } from '../context.ts'
import { guardMovedData } from '../boot/guard-moved-data.ts'
import { fetchGateway } from './fetch-gateway.ts'
import { GatewayClient, namedUrl, placeAddress, runningHere } from './gateway-client.ts'
import { printDatabaseWait } from './terminal.ts'
import { type Address, Secret } from '../boot/untrusted-address.ts'

/** A running gateway that accepts this process as its operator. */
export interface OperatorClient {
  post<T>(path: string, body: unknown): Promise<T>
  get<T>(path: string): Promise<T>
  /** The file that the gateway answers. */
  download(path: string, body: unknown): Promise<AsyncIterable<Uint8Array>>
  upload<T>(path: string, file: unknown, headers: Record<string, string>): Promise<T>
}

/** `null` if none runs. */
export async function findGateway(
  config: Config,
  url: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<OperatorClient | null> {
  const named = namedUrl(url, env)
  const token = Secret.of(env, 'POSTERN_OPERATOR_TOKEN')
  if (token === undefined) {
    const local = await runningHere(config.dataDir, named?.url)
    if (local !== undefined) return operatorAt(local.url, { authorization: `Bearer ${local.token}` })
  }
  const address: Address = named ?? placeAddress(config)
  const base = address.url.replace(/\/+$/, '')
  const answer = await fetchGateway(`${base}/healthz`)
  if (!answer?.ok) {
    if (named !== undefined)
      throw new ConfigError(
        `${named.from}: no gateway answers at ${base}. Start it, or ${named.from === '--url' ? 'leave --url out' : 'unset POSTERN_URL'} to work on the database.`,
      )
    return null
  }
  if (token === undefined) {
    throw new ConfigError(
      `a gateway runs at ${base}, and not with the data folder ${config.dataDir}: set POSTERN_OPERATOR_TOKEN to the token of that gateway, so that the command can use it.`,
    )
  }
  return operatorAt(base, token.bearer(address))
}

function operatorAt(base: string, headers: { authorization: string }): OperatorClient {
  const client = new GatewayClient(base, headers, { name: `the gateway at ${base}` })
  return {
    post: (path, body) => client.call('POST', path, body),
    get: path => client.call('GET', path),
    download: (path, body) => client.download(path, body),
    upload: (path, file, headers) =>
      client.call('POST', path, file, { 'content-type': 'application/octet-stream', ...headers }),
  }
}

interface Opening {
  /** Waits for a database that starts later; interactive commands rather fail immediately. */
  waits?: boolean
}

/** Opens the database directly, for use while no gateway runs. */
export async function withStore<T>(
  env: NodeJS.ProcessEnv,
  work: (context: Context) => Promise<T>,
  { waits = false }: Opening = {},
): Promise<T> {
  const config = { ...readConfig(env), logLevel: 'silent', tracing: null }
  const context = await createContext(waits ? config : { ...config, databaseWaitMs: 0 }, {}, printDatabaseWait)
  try {
    await guardMovedData(context.store)
    return await work(context)
  } finally {
    await context.close()
  }
}
