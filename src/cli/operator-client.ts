import { type Config, ConfigError, readConfig } from '../config.ts'
import { type Context, createContext } from '../context.ts'
import { guardMovedData } from '../boot/guard-moved-data.ts'
import { askGateway, localOrigin } from './ask-gateway.ts'
import { namedUrl, runningHere } from './gateway-client.ts'
import { ACCEPT, refusedBy } from './refusal.ts'
import { sayAwaited } from './say-awaited.ts'
import { refuseStrangeAddress } from './strange-address.ts'

/** A gateway that runs and takes this process for its operator. */
export interface OperatorClient {
  post<T>(path: string, body: unknown): Promise<T>
  get<T>(path: string): Promise<T>
}

/** `null` where none runs. */
export async function findGateway(
  config: Config,
  url: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<OperatorClient | null> {
  const named = namedUrl(url, env)
  if (config.operatorToken === null) {
    const local = await runningHere(config.dataDir, named?.url)
    if (local !== undefined) return operatorAt(local.url, local.token)
  }
  const base = (named?.url ?? config.publicUrl ?? localOrigin(config)).replace(/\/+$/, '')
  const answer = await askGateway(`${base}/healthz`)
  if (!answer?.ok) {
    if (named !== undefined)
      throw new ConfigError(
        `${named.from}: no gateway answers at ${base}. Start it, or ${named.from === '--url' ? 'leave --url out' : 'unset POSTERN_URL'} to work on the database.`,
      )
    return null
  }
  if (config.operatorToken === null) {
    throw new ConfigError(
      `a gateway runs at ${base}: set POSTERN_OPERATOR_TOKEN to the token that it was started with, so that the command can go through it.`,
    )
  }
  const setting = named?.from ?? (config.publicUrl ? 'POSTERN_PUBLIC_URL' : 'POSTERN_HOST')
  if (setting !== '--url') refuseStrangeAddress(env, 'POSTERN_OPERATOR_TOKEN', { url: base, setting })
  return operatorAt(base, config.operatorToken)
}

function operatorAt(base: string, token: string): OperatorClient {
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(base + path, {
      method,
      headers: {
        ...ACCEPT,
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const json = (await answer.json().catch(() => undefined)) as Record<string, unknown> | undefined
    if (!answer.ok || json === undefined)
      throw refusedBy(`the gateway at ${base}`, { status: answer.status, json: json ?? {} })
    return json as T
  }
  return { post: (path, body) => ask('POST', path, body), get: path => ask('GET', path) }
}

interface Opening {
  /** Also a database that comes up later; somebody at a terminal rather hears at once that it is away. */
  waits?: boolean
}

/** Opens the database itself, for when no gateway runs. */
export async function withStore<T>(
  env: NodeJS.ProcessEnv,
  work: (context: Context) => Promise<T>,
  { waits = false }: Opening = {},
): Promise<T> {
  const config = { ...readConfig(env), logLevel: 'silent', tracing: null }
  const context = await createContext(waits ? config : { ...config, databaseWaitMs: 0 }, {}, sayAwaited)
  try {
    await guardMovedData(context.store)
    return await work(context)
  } finally {
    await context.close()
  }
}
