import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { type Context, createContext } from '../context.ts'
import { moveData, type MoveProgressListener } from '../store/moving/move-data.ts'
import { toJson } from './terminal.ts'

export const moveHelp = `postern move --to <postgres://… or a folder> [--json]
postern move --take-back

Moves all data from the configured database (POSTERN_DATA_DIR or
POSTERN_DATABASE_URL) to an empty one: to PostgreSQL, or to a folder for the
embedded database. Numbers stay linked. Stop the gateway first.

The command copies every row and compares both databases row by row. After that
a gateway no longer starts with the old database. If a move is interrupted, run
it again: it continues where it stopped.

  --to          the new database; - reads it from standard input, because others
                can see a password in the list of processes
  --take-back   let a gateway start with the old database again. Use it only if
                no gateway has started with the new one: two gateways with the
                same numbers destroy each other's keys
  --json        print the tables, rows and checksums as JSON, for scripts`

export interface MoveOptions {
  to?: string | undefined
  'take-back'?: boolean | undefined
  json?: boolean | undefined
}

export async function move(options: MoveOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const config = { ...readConfig(env), logLevel: 'silent', databaseWaitMs: 0, tracing: null }
  if (options['take-back']) return await takeBack(config)
  if (options.to === undefined) throw new ConfigError('--to is missing: a postgres:// address, or a folder.')
  const target = targetOf(config, options.to)
  if (target.databaseUrl === null) copyKey(config, target.dataDir, env)
  await withBoth(config, target, async (from, to) => {
    const tables: Array<{ table: string; rows: number; sha256: string }> = []
    const listener = options.json
      ? {
          copied: () => {},
          compared: (table: string, rows: number, sha256: string) => void tables.push({ table, rows, sha256 }),
        }
      : onTerminal()
    await moveData({ store: from.store, place: placeOf(config) }, { store: to.store, place: placeOf(target) }, listener)
    if (options.json) return console.log(toJson({ from: placeOf(config), to: placeOf(target), tables }))
    console.log(nextSteps(target))
  })
}

function targetOf(config: Config, to: string): Config {
  const isPostgres = /^postgres(ql)?:\/\//.test(to)
  if (!isPostgres && to.includes('://'))
    throw new ConfigError(`--to is "${to}": give a postgres:// address, or a folder.`)
  const target = isPostgres ? { ...config, databaseUrl: to } : { ...config, databaseUrl: null, dataDir: resolve(to) }
  if (target.databaseUrl === config.databaseUrl && (isPostgres || target.dataDir === config.dataDir))
    throw new ConfigError('--to names the database that has the data already.')
  return target
}

/** Copies the key that the first start created in the data folder. */
function copyKey(config: Config, folder: string, env: NodeJS.ProcessEnv): void {
  const [own, there] = [join(config.dataDir, 'secret.key'), join(folder, 'secret.key')]
  if (env['POSTERN_SECRET_KEY'] || own === there || !existsSync(own) || existsSync(there)) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  copyFileSync(own, there)
}

async function withBoth(
  config: Config,
  target: Config,
  work: (from: Context, to: Context) => Promise<void>,
): Promise<void> {
  const from = await createContext(config)
  try {
    const to = await createContext(target)
    try {
      await work(from, to)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function takeBack(config: Config): Promise<void> {
  const context = await createContext(config)
  try {
    await context.store.moving.takeBackMove()
    console.log(`${placeOf(config)} can be started again. Never start a gateway with the other database.`)
  } finally {
    await context.close()
  }
}

function placeOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === null) return dataDir
  const { hostname, port, pathname } = new URL(databaseUrl)
  return `PostgreSQL at ${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}

/** Updates one line on a terminal; otherwise prints a line for each finished table. */
function onTerminal(): MoveProgressListener {
  const isTerminal = process.stdout.isTTY
  const clear = isTerminal ? '\r\u001b[K' : ''
  return {
    copied: (table, rows, isWhole) => {
      if (isTerminal || isWhole) process.stdout.write(`${clear}copied ${table}: ${rows} rows${isTerminal ? '' : '\n'}`)
    },
    compared: (table, rows, digest) =>
      console.log(`${clear}${table}: ${rows} rows, identical in both databases (${digest})`),
  }
}

const nextSteps = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === null
    ? `\nMoved. Start with POSTERN_DATA_DIR=${dataDir}, without POSTERN_DATABASE_URL, and with the same POSTERN_SECRET_KEY.`
    : '\nMoved. Start with POSTERN_DATABASE_URL set to that address, and with the same POSTERN_SECRET_KEY (if none was\nset, it is the content of secret.key in the data folder). You no longer need the old folder.'
