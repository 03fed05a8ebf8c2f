import { execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../scripts/shared/free-port.mjs'
import { later } from './child.mjs'
import { killOnExit } from './kill-on-exit.mjs'

/** A temporary PostgreSQL with the defaults of a fresh installation (fsync on). */
export async function startPostgres() {
  const cluster = await newCluster()
  const server = await runServer(cluster)
  let databases = 0
  return {
    url: server.url,
    /** Creates an empty database on the same server; returns its URL. */
    createDatabase: async () => {
      const name = `bench${databases++}`
      await runStatement(server.url, `create database ${name}`)
      return server.url.replace(/[^/]*$/, name)
    },
    /** Ends every connection; resolves when the server responds again. */
    restart: async () => {
      await server.end('SIGINT')
      await server.start()
    },
    stop: async () => {
      await server.end('SIGINT')
      cluster.remove()
    },
  }
}

/** Creates a folder with an initialized data directory. */
export async function newCluster() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-pg-'))
  const as = serverUser()
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  const cluster = {
    folder,
    data,
    /** Runs one of PostgreSQL's programs to its end. */
    run: (program, ...args) => promisify(execFile)(join(binaries(), program), args, as),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
  await cluster.run('initdb', '-D', data, '-U', 'postern', '--auth=trust', '-E', 'UTF8')
  return cluster
}

/** A server on a free port that can be ended and started again; resolves when it responds. */
export async function runServer({ folder, data }, settings = {}) {
  const port = await freePort()
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let child
  const server = {
    port,
    url: `postgres://postern@127.0.0.1:${port}/postgres`,
    start: async () => {
      const args = ['-D', data, '-p', String(port), '-k', folder, ...given]
      child = killOnExit(spawn(join(binaries(), 'postgres'), args, { stdio: 'ignore', ...serverUser() }), 'SIGQUIT')
      await untilAnswering(server.url)
    },
    /** SIGINT ends it in order, SIGQUIT like a crash. */
    end: async signal => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill(signal)
      await ended
    },
  }
  await server.start()
  return server
}

/** Runs one statement on a separate connection. */
export async function runStatement(url, sql) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

export function binaries() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => b - a) : []
  const found = [...versions.map(version => join(root, version, 'bin')), ...process.env.PATH.split(':')]
  const bin = found.find(folder => existsSync(join(folder, 'initdb')))
  if (bin === undefined) throw new Error('PostgreSQL 15 or newer is needed: install the package "postgresql".')
  return bin
}

/** PostgreSQL refuses to run as root: in that case use the package's user. */
const serverUser = () => (process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {})

const id = flag => Number(execFileSync('id', [flag, 'postgres']).toString())

async function untilAnswering(url) {
  for (let left = 600; ; left--) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (left === 0) throw error
      await later(50)
    }
  }
}
