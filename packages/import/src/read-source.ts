import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ImportError } from './import-error.ts'
import { type Found, isRecord, textOf } from './their-number.ts'

export type Gateway = 'waha' | 'evolution'

const MAX_BYTES = 16 * 1_024 * 1_024

/** Parses the text of a `.env` file. */
export type ParseEnv = (text: string) => Array<[name: string, value: string]>

/** Reads a file, a folder, or their running gateway, and writes nothing there. */
export async function readSource(
  from: Gateway,
  source: string,
  { theirKey, parseEnv }: { theirKey: string | undefined; parseEnv: ParseEnv },
): Promise<Found> {
  if (/^https?:\/\//.test(source))
    return {
      lists: [await fetchFrom(from, source.replace(/\/+$/, ''), theirKey)],
      settings: new Map(),
      isWithoutSettings: true,
    }
  const stat = statSync(source, { throwIfNoEntry: false })
  if (stat === undefined)
    throw new ImportError(`${source} is not there. Name a file, a folder, or the address of their gateway.`)
  const files = stat.isDirectory()
    ? readdirSync(source)
        .filter(name => name === '.env' || name.endsWith('.json'))
        .map(name => join(source, name))
    : [source]
  const isSettings = (path: string): boolean => !path.endsWith('.json')
  const settings = files.filter(isSettings).flatMap(path => parseEnv(textIn(path)))
  const lists = files.filter(path => !isSettings(path)).map(path => listIn(path, textIn(path)))
  if (lists.length === 0) throw new ImportError(`${source} names no sessions. ${WHERE[from]}`)
  return { lists, settings: new Map(settings), isWithoutSettings: !files.some(isSettings) }
}

const WHERE = {
  waha: 'Save what GET /api/sessions?all=true answers as sessions.json beside .env, and name the folder; or name the address of WAHA and --their-key.',
  evolution:
    'Save what GET /instance/fetchInstances answers as instances.json beside .env, and name the folder; or name the address of Evolution API and --their-key.',
} as const

function textIn(path: string): string {
  if (statSync(path).size > MAX_BYTES)
    throw new ImportError(`${path} is larger than 16 MiB: that is no list of sessions.`)
  return readFileSync(path, 'utf8')
}

function listIn(path: string, text: string): unknown[] {
  const value = parsed(text)
  if (Array.isArray(value)) return value
  if (isRecord(value)) return [value]
  throw new ImportError(`${path} is not JSON with a list of sessions.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function fetchFrom(from: Gateway, url: string, key: string | undefined): Promise<unknown[]> {
  if (from === 'waha') return listIn(url, await get(`${url}/api/sessions?all=true`, 'x-api-key', key))
  const instances = listIn(url, await get(`${url}/instance/fetchInstances`, 'apikey', key))
  return await Promise.all(
    instances.map(async instance => {
      const path = `/webhook/find/${encodeURIComponent(textOf(instance, 'name'))}`
      const webhook = parsed(await get(`${url}${path}`, 'apikey', key))
      return isRecord(instance) && isRecord(webhook) ? { ...instance, Webhook: webhook } : instance
    }),
  )
}

async function get(url: string, header: string, key: string | undefined): Promise<string> {
  const headers: Record<string, string> = key === undefined ? {} : { [header]: key }
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(30_000) }).catch(
    () => undefined,
  )
  const { origin, pathname } = new URL(url)
  if (response === undefined) throw new ImportError(`${origin} does not answer. Is it running?`)
  if (response.status === 401 || response.status === 403)
    throw new ImportError(`${origin} refuses the key. Give theirs with --their-key.`)
  if (!response.ok) throw new ImportError(`${origin}${pathname} answered ${response.status}.`)
  return await response.text()
}
