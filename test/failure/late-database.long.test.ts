import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../harness/postgres.ts'
import { runPostern, type Running } from '../harness/process.ts'
import { until } from '../harness/until.ts'

const PASSWORD = 'hunter2-of-the-database'

let server: PostgresServer
let folder: string
beforeAll(async () => {
  server = await startPostgres()
  folder = mkdtempSync(join(tmpdir(), 'postern-late-'))
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const withPassword = (url: string): string => url.replace('postern@', `postern:${PASSWORD}@`)

const run = (args: string[], databaseUrl: string, env: Record<string, string> = {}): Running =>
  runPostern(args, {
    POSTERN_DATA_DIR: folder,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    POSTERN_PORT: '0',
    POSTERN_DATABASE_URL: withPassword(databaseUrl),
    ...env,
  })

const said = ({ stderr }: Running): string[] =>
  stderr()
    .split('\n')
    .filter(line => /^postern: waiting for the database at 127\.0\.0\.1:\d+ /.test(line))
const logged = ({ stdout }: Running): Array<Record<string, unknown>> =>
  stdout()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Record<string, unknown>)
    .filter(line => line['msg'] === 'database.awaited')

describe('A process that starts while the database is unreachable', () => {
  it('waits for it whatever its role, says so on the terminal and in the log, and works once it is reachable', async () => {
    const url = await server.createDatabase()
    await server.halt()
    const roles = ['api', 'worker', 'dispatcher', 'simulator', 'api,worker,dispatcher,simulator']
    const processes = roles.map(names => run(['start', '--roles', names], url))
    const migrating = run(['migrate'], url)
    await until(() => [...processes, migrating].every(each => said(each).length >= 2))
    await until(() => processes.every(each => logged(each).length >= 2))
    expect(logged(processes[0]!)[0]).toMatchObject({
      level: 'warn',
      database: `127.0.0.1:${server.port}`,
      reason: expect.stringContaining('ECONNREFUSED'),
    })
    expect(processes.map(each => each.stdout().includes('is ready'))).not.toContain(true)
    await server.resume()
    await until(() => processes.every(each => each.stdout().includes('is ready')))
    expect((await migrating.exited).code).toBe(0)
    expect(migrating.stdout()).toMatch(/^The database \(PostgreSQL\) is at schema version \d+\.\n$/)
    for (const each of processes) each.kill('SIGTERM')
    expect((await Promise.all(processes.map(each => each.exited))).map(({ code }) => code)).toEqual(roles.map(() => 0))
    for (const each of [...processes, migrating]) expect(each.stdout() + each.stderr()).not.toContain(PASSWORD)
  })

  it.each([['start'], ['migrate']])(
    'as postern %s stops after POSTERN_DATABASE_WAIT, with one clear line and exit 1',
    async command => {
      const beganMs = performance.now()
      const running = run([command], 'postgres://postern@127.0.0.1:1/x', { POSTERN_DATABASE_WAIT: '2s' })
      expect((await running.exited).code).toBe(1)
      // A lower bound: no machine is too slow for it.
      expect(performance.now() - beganMs).toBeGreaterThan(2_000)
      expect(said(running).length).toBeGreaterThan(0)
      const lines = running.stderr().trimEnd().split('\n')
      expect(lines.at(-1)).toMatch(
        /^postern: POSTERN_DATABASE_URL: the database does not answer \(.*ECONNREFUSED.*\) within 2s \(POSTERN_DATABASE_WAIT\)\. Check that it runs and that the address, user and password are right\.$/,
      )
      expect(lines.filter(line => !said(running).includes(line))).toHaveLength(1)
      expect(running.stdout() + running.stderr()).not.toContain(PASSWORD)
    },
  )

  it('does not wait for a database that answers but rejects the login', async () => {
    const running = run(['start'], server.url.replace(/postgres$/, 'nowhere'))
    expect((await running.exited).code).toBe(1)
    expect(said(running)).toEqual([])
    expect(running.stderr()).toMatch(
      /^postern: POSTERN_DATABASE_URL: the database does not answer \(database "nowhere" does not exist\)\. Check/,
    )
  })

  it('ends at once on a signal while it waits', async () => {
    const running = run(['start'], 'postgres://postern@127.0.0.1:1/x')
    await until(() => said(running).length > 0)
    running.kill('SIGTERM')
    expect(await running.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })
})
