import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../scripts/shared/free-port.mjs'
import { installPackages } from './programs.ts'

/** A real PostgreSQL server on a free port, with its data in a temporary folder. */
export interface PostgresServer {
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>
  restart(): Promise<void>
  /** Shuts it down; its data stays, and `resume` starts it again at the same address. */
  halt(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
  url: string
  port: number
  /** The folder of its files. */
  folder: string
}

const DEBIAN = '/usr/lib/postgresql'
/** Committed data survives the end of every process of a test; only a power loss would lose it. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'max_connections=200',
  'fsync=off',
  'full_page_writes=off',
  'autovacuum_naptime=1d',
  'jit=off',
]

/** The folder of the server's programs; installs them if possible, else names what to install. */
export function postgresBinaries(): string {
  const found = findBinaries() ?? (installPackages('postgresql') ? findBinaries() : undefined)
  if (found !== undefined) return found
  throw new Error('PostgreSQL 15 or newer is needed for the tests: install the package "postgresql".')
}

export function findBinaries(): string | undefined {
  if (existsSync(DEBIAN)) {
    const versions = readdirSync(DEBIAN)
      .map(Number)
      .filter(version => version >= 15)
      .sort((a, b) => b - a)
    const usable = versions
      .map(version => join(DEBIAN, String(version), 'bin'))
      .find(bin => existsSync(join(bin, 'initdb')))
    if (usable !== undefined) return usable
  }
  const onPath = (process.env.PATH ?? '').split(':').find(folder => existsSync(join(folder, 'initdb')))
  return onPath
}

export async function startPostgres(): Promise<PostgresServer> {
  const bin = postgresBinaries()
  const folder = mkdtempSync(join(folderOfData(), 'postern-pg-'))
  const data = join(folder, 'data')
  const asUser = serverUser(folder)
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postern', '--auth=trust', '-E', 'UTF8', '--no-sync'], {
    stdio: 'ignore',
    ...asUser,
  })
  const port = await freePort()
  let server = await run(bin, data, port, folder, asUser)
  const url = `postgres://postern@127.0.0.1:${port}/postgres`
  let databases = 0
  const halt = () => server.stop('SIGINT')
  const resume = async () => {
    server = await run(bin, data, port, folder, asUser)
  }
  return {
    url,
    port,
    folder: data,
    createDatabase: async () => {
      const name = `t${process.pid}_${databases++}_${Date.now()}`
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      // A busy machine takes its time.
      return `postgres://postern@127.0.0.1:${port}/${name}?connect_timeout=60`
    },
    restart: async () => {
      await halt()
      await resume()
    },
    halt,
    resume,
    stop: async () => {
      await server.stop('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const SHARED_MEMORY = '/dev/shm'
/** All databases of a run take about a quarter of this. */
const WANTED_BYTES = 8 * 1024 ** 3

/** In memory if there is plenty: each database is some hundred files, which cost a disk's file system more than their data. */
function folderOfData(): string {
  if (!existsSync(SHARED_MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(SHARED_MEMORY)
  return bavail * bsize >= WANTED_BYTES ? SHARED_MEMORY : tmpdir()
}

/** The server refuses to run as root: then the package's own user runs it. */
export function serverUser(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const uid = Number(execFileSync('id', ['-u', 'postgres']).toString())
  const gid = Number(execFileSync('id', ['-g', 'postgres']).toString())
  chownSync(folder, uid, gid)
  return { uid, gid }
}

async function run(bin: string, data: string, port: number, folder: string, asUser: { uid?: number; gid?: number }) {
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), '-k', folder, ...SETTINGS.flatMap(setting => ['-c', setting])],
    { stdio: 'ignore', ...asUser },
  )
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  await waitUntilAnswering(port)
  return {
    stop: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await exited
    },
  }
}

async function waitUntilAnswering(port: number): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const client = new pg.Client({ connectionString: `postgres://postern@127.0.0.1:${port}/postgres` })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}
