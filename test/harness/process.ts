import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { databasePath } from '../../src/store/sqlite/data-folder.ts'
import { OPERATOR_TOKEN } from './gateway.ts'
import type { Place } from './stores.ts'
import { until } from './until.ts'

const ROOT = join(import.meta.dirname, '../..')
const RECORD_WARNINGS = join(import.meta.dirname, 'record-warnings.cjs')
const START = `import('${join(ROOT, 'dist/bundled/main.js')}').then(m => m.main(process.argv.slice(1)))`

/** The compiled program as a separate process, without the settings of the test environment. */
export interface Running {
  pid: number
  stdout(): string
  stderr(): string
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  kill(signal: NodeJS.Signals): void
}

export function runPostern(
  args: string[],
  env: Record<string, string>,
  nodeArgs: string[] = [],
  folder = ROOT,
): Running {
  const child = spawn(process.execPath, ['--require', RECORD_WARNINGS, ...nodeArgs, '-e', START, '--', ...args], {
    cwd: folder,
    env: { ...settingsAside(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child)
}

export function follow(child: ChildProcess): Running {
  let out = ''
  let err = ''
  child.stdout!.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr!.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return {
    pid: child.pid!,
    stdout: () => out,
    stderr: () => err,
    exited,
    kill: signal => void child.kill(signal),
  }
}

/** The environment of the tests without their settings. */
export function settingsAside(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(POSTERN_|VITEST|NODE_OPTIONS)/.test(name))
  return Object.fromEntries(kept) as Record<string, string>
}

/** A gateway process that answers at `url`. */
export interface GatewayProcess extends Running {
  url: string
}

export async function startProcess(
  place: Place,
  env: Record<string, string> = {},
  nodeArgs: string[] = [],
): Promise<GatewayProcess> {
  const running = runPostern(
    ['start'],
    {
      POSTERN_PORT: '0',
      POSTERN_ROLES: 'api',
      POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
      POSTERN_LOG_LEVEL: 'error',
      ...place.env,
      ...env,
    },
    nodeArgs,
  )
  const url = await readyUrl(running)
  return { ...running, url }
}

/**
 * Takes the lease of every session of a running gateway without a worker. An embedded gateway frees them all when it
 * starts.
 */
export function hostSessions(place: Place, jid = '%'): void {
  if (place.databaseUrl !== null) return
  const database = openDatabase(databasePath(place.dataDir), { readOnly: false })
  const lastsUntil = Date.now() + 3_600_000
  database.exec(
    `insert into holders (id, node_id, pool, leases, room, beat, lasts_until) values ('test', 'test', 'test', 0, 0, 1, ${lastsUntil})
     on conflict (id) do nothing;
     update leases set owner = 'test', epoch = epoch + 1 where kind = 'session' and id like '${jid}'`,
  )
  database.close()
}

export async function readyUrl(running: Running): Promise<string> {
  let ended = false
  void running.exited.then(() => (ended = true))
  return await until(() => {
    const match = /Listens +(http:\S+)/.exec(running.stdout()) ?? /is ready at (http:\S+)/.exec(running.stdout())
    // The block may arrive in pieces: it is complete once its last line is there.
    if (match !== null && /^ {2}Data .*\n/m.test(running.stdout())) return match[1]!
    if (ended) throw new Error(`the gateway did not start: ${running.stderr()}`)
    return undefined
  })
}
