import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { later } from './child.mjs'

/** A PostgreSQL of its own with the defaults of a fresh installation (fsync on), for the time of one benchmark. */
export async function startPostgres() {
  const bin = binaries()
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-pg-'))
  const as = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {}
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postern', '--auth=trust', '-E', 'UTF8'], {
    stdio: 'ignore',
    ...as,
  })
  const port = await freePort()
  const start = () =>
    spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-k', folder], { stdio: 'ignore', ...as })
  const end = () =>
    new Promise(resolve => {
      server.once('exit', resolve)
      server.kill('SIGINT')
    })
  let server = start()
  const url = `postgres://postern@127.0.0.1:${port}/postgres`
  await untilAnswering(url)
  let databases = 0
  return {
    url,
    /** An empty database on the same server; answers its address. */
    createDatabase: async () => {
      const name = `bench${databases++}`
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return url.replace(/[^/]*$/, name)
    },
    /** Ends every connection; resolves when it answers again. */
    restart: async () => {
      await end()
      server = start()
      await untilAnswering(url)
    },
    stop: async () => {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function binaries() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => b - a) : []
  const found = [...versions.map(version => join(root, version, 'bin')), ...process.env.PATH.split(':')]
  const bin = found.find(folder => existsSync(join(folder, 'initdb')))
  if (bin === undefined) throw new Error('PostgreSQL 15 or newer is needed: install the package "postgresql".')
  return bin
}

const id = flag => Number(execFileSync('id', [flag, 'postgres']).toString())

function freePort() {
  return new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

async function untilAnswering(url) {
  for (let left = 200; ; left--) {
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
