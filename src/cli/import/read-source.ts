import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../boot/config-error.ts'
import { parseDotEnv } from '../dot-env.ts'
import { type Found, isRecord, textOf } from './their-number.ts'

export type Gateway = 'waha' | 'evolution'

const MAX_BYTES = 16 * 1_024 * 1_024

/** Reads a file, a folder, or their running gateway. Nothing is written there. */
export async function readSource(from: Gateway, source: string, theirKey: string | undefined): Promise<Found> {
  if (/^https?:\/\//.test(source))
    return {
      lists: [await askThem(from, source.replace(/\/+$/, ''), theirKey)],
      settings: new Map(),
      isWithoutSettings: true,
    }
  const stat = statSync(source, { throwIfNoEntry: false })
  if (stat === undefined)
    throw new ConfigError(`${source} is not there. Name a file, a folder, or the address of their gateway.`)
  const files = stat.isDirectory()
    ? readdirSync(source)
        .filter(name => name === '.env' || name.endsWith('.json'))
        .map(name => join(source, name))
    : [source]
  const isSettings = (path: string): boolean => !path.endsWith('.json')
  const settings = files.filter(isSettings).flatMap(path => parseDotEnv(textIn(path)))
  const lists = files.filter(path => !isSettings(path)).map(path => listIn(path, textIn(path)))
  if (lists.length === 0) throw new ConfigError(`${source} names no sessions. ${WHERE[from]}`)
  return { lists, settings: new Map(settings), isWithoutSettings: !files.some(isSettings) }
}

const WHERE = {
  waha: 'Save what GET /api/sessions?all=true answers as sessions.json beside .env, and name the folder; or name the address of WAHA and --their-key.',
  evolution:
    'Save what GET /instance/fetchInstances answers as instances.json beside .env, and name the folder; or name the address of Evolution API and --their-key.',
} as const

function textIn(path: string): string {
  if (statSync(path).size > MAX_BYTES)
    throw new ConfigError(`${path} is larger than 16 MiB: that is no list of sessions.`)
  return readFileSync(path, 'utf8')
}

function listIn(path: string, text: string): unknown[] {
  const value = parsed(text)
  if (Array.isArray(value)) return value
  if (isRecord(value)) return [value]
  throw new ConfigError(`${path} is not JSON with a list of sessions.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function askThem(from: Gateway, url: string, key: string | undefined): Promise<unknown[]> {
  if (from === 'waha') return listIn(url, await ask(`${url}/api/sessions?all=true`, 'x-api-key', key))
  const instances = listIn(url, await ask(`${url}/instance/fetchInstances`, 'apikey', key))
  return await Promise.all(
    instances.map(async instance => {
      const path = `/webhook/find/${encodeURIComponent(textOf(instance, 'name'))}`
      const webhook = parsed(await ask(`${url}${path}`, 'apikey', key))
      return isRecord(instance) && isRecord(webhook) ? { ...instance, Webhook: webhook } : instance
    }),
  )
}

async function ask(url: string, header: string, key: string | undefined): Promise<string> {
  const headers: Record<string, string> = key === undefined ? {} : { [header]: key }
  const answer = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(30_000) }).catch(
    () => undefined,
  )
  const { origin, pathname } = new URL(url)
  if (answer === undefined) throw new ConfigError(`${origin} does not answer. Is it running?`)
  if (answer.status === 401 || answer.status === 403)
    throw new ConfigError(`${origin} refuses the key. Give theirs with --their-key.`)
  if (!answer.ok) throw new ConfigError(`${origin}${pathname} answered ${answer.status}.`)
  return await answer.text()
}
