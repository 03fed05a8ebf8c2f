import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/shared/free-port.mjs'
import { later } from '../shared/child.mjs'

/** The compared packages: the newest versions that run on Node 20. Not dependencies of the gateway. */
export const RIVALS = { 'graphile-worker': '0.17.3', 'pg-boss': '10.4.2', bullmq: '6.7.0' }
/** The Redis client of BullMQ. */
const BESIDES = { ioredis: '6.0.0' }

/** Installs the rivals into a temporary folder, which the benchmark deletes. */
export function installRivals() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-rivals-'))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const packages = Object.entries({ ...RIVALS, ...BESIDES }).map(([name, version]) => `${name}@${version}`)
  execFileSync(
    'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, ...packages],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A separate Redis that is as durable as the gateway: it responds after fsync. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-rivals-redis-'))
  const port = await freePort()
  const options = { port, bind: '127.0.0.1', dir: folder, appendonly: 'yes', appendfsync: 'always', save: '' }
  const server = spawn(
    'redis-server',
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: 'ignore' },
  )
  server.once('error', () => {
    console.error('Redis 7 or newer is needed: install the package "redis-server".')
    process.exit(1)
  })
  while (!(await answers(port))) await later(50)
  return {
    port,
    stop: () =>
      new Promise(resolve => {
        server.once('exit', () => {
          rmSync(folder, { recursive: true, force: true })
          resolve()
        })
        server.kill('SIGINT')
      }),
  }
}

const answers = port =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
