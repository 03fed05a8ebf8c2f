import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../scripts/shared/free-port.mjs'
import { serverUser } from './postgres.ts'
import { needProgram } from './programs.ts'
import { until } from './until.ts'

/** A real PgBouncer in transaction mode, in front of a server on this machine. */
export interface Pooler {
  port: number
  /** Sends a command to the pooler itself, such as PAUSE. */
  command(text: string): Promise<Array<Record<string, unknown>>>
  stop(): Promise<void>
}

/** Few connections to the server, so that consecutive transactions use different server sessions. */
const SERVER_CONNECTIONS = 8
/** Each test has its own database, and the server has connections for only some of them at a time. */
const SERVER_IDLE_S = 5

export async function startPooler(serverPort: number): Promise<Pooler> {
  const program = needProgram('pgbouncer', 'pgbouncer')
  const folder = mkdtempSync(join(tmpdir(), 'postern-pooler-'))
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(settings, settingsOf(port, serverPort, folder))
  const child = spawn(program, ['-q', settings], { stdio: 'ignore', ...serverUser(folder) })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const command: Pooler['command'] = async text => {
    const client = new pg.Client({ connectionString: `postgres://postern@127.0.0.1:${port}/pgbouncer` })
    await client.connect()
    try {
      return (await client.query(text)).rows as Array<Record<string, unknown>>
    } finally {
      await client.end()
    }
  }
  await until(() => answers(child, command))
  return {
    port,
    command,
    stop: async () => {
      child.kill('SIGQUIT')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const settingsOf = (port: number, serverPort: number, folder: string): string => `[databases]
* = host=127.0.0.1 port=${serverPort} user=postern
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
pidfile = ${join(folder, 'pid')}
logfile = ${join(folder, 'log')}
auth_type = any
admin_users = postern
pool_mode = transaction
max_client_conn = 2000
default_pool_size = ${SERVER_CONNECTIONS}
server_login_retry = 1
server_idle_timeout = ${SERVER_IDLE_S}
`

async function answers(child: ChildProcess, command: Pooler['command']): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
  return await command('show version').then(
    () => true,
    () => false,
  )
}
