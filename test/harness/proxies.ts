import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/shared/free-port.mjs'
import { needProgram } from './programs.ts'
import { until } from './until.ts'

/** A real proxy server. The network sees its connections from `address`, and those of the gateway from 127.0.0.1. */
export interface RealProxy {
  readonly url: string
  readonly port: number
  readonly address: string
  /** How many connections it has opened for clients. */
  opened(): number
  start(): Promise<void>
  /** Ends it with all its connections. */
  stop(): Promise<void>
}

export const CREDENTIALS = { user: 'canaryuser', password: 'canarypass' }
const AUTHORITY = `${CREDENTIALS.user}:${CREDENTIALS.password}@127.0.0.1`

/** MicroSocks, with a user name and a password. */
export async function startSocks(address: string): Promise<RealProxy> {
  const program = needProgram('microsocks', 'microsocks')
  const { user, password } = CREDENTIALS
  const args = (port: number) => ['-i', '127.0.0.1', '-p', String(port), '-u', user, '-P', password, '-b', address]
  return await startProxy('socks5', address, program, args, /connected to/g)
}

/** Tinyproxy, which opens tunnels for CONNECT, with a user name and a password. */
export async function startHttpProxy(address: string): Promise<RealProxy> {
  const program = needProgram('tinyproxy', 'tinyproxy-bin')
  const args = (port: number, folder: string): string[] => {
    const { user, password } = CREDENTIALS
    const settings = [
      `Port ${port}`,
      'Listen 127.0.0.1',
      `Bind ${address}`,
      'Timeout 600',
      'LogLevel Connect',
      `BasicAuth ${user} ${password}`,
    ]
    const file = join(folder, 'tinyproxy.conf')
    writeFileSync(file, `${settings.join('\n')}\n`)
    return ['-d', '-c', file]
  }
  return await startProxy('http', address, program, args, /Established connection to host/g)
}

async function startProxy(
  scheme: string,
  address: string,
  program: string,
  args: (port: number, folder: string) => string[],
  opened: RegExp,
): Promise<RealProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-proxy-'))
  const port = await freePort()
  let said = ''
  let stop = async (): Promise<void> => {}
  const start = async (): Promise<void> => {
    const child = spawn(program, args(port, folder), { stdio: ['ignore', 'pipe', 'pipe'] })
    const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    stop = async () => {
      child.kill('SIGKILL')
      await exited
    }
    await until(() => listens(port))
  }
  await start()
  return {
    url: `${scheme}://${AUTHORITY}:${port}`,
    port,
    address,
    opened: () => said.match(opened)?.length ?? 0,
    start,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
