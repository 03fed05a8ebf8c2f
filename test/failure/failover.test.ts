import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import pg from 'pg'
import { LISTENER_NAME } from '../../src/store/postgres/notifications/listen-connection.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { ask } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { type PostgresServer, startPostgres } from '../harness/postgres.ts'
import type { Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

let server: PostgresServer
let admin: pg.Client
beforeAll(async () => {
  server = await startPostgres()
  admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await server.stop()
})

/** The server processes behind the connections to a database, without the one that only listens. */
async function backendsOf(databaseUrl: string): Promise<number[]> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const { rows } = await admin.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = $1 and application_name <> $2`,
    [name, LISTENER_NAME],
  )
  return rows.map(({ pid }) => pid)
}

/** Revokes or grants the right to write, also for existing connections. */
async function allowWrites(allowed: boolean): Promise<void> {
  await admin.query(`alter system set default_transaction_read_only = ${allowed ? 'off' : 'on'}`)
  await admin.query('select pg_reload_conf()')
}

describe('A primary that has become a standby', () => {
  let place: Place
  let gateway: TestGateway
  let account: TestAccount
  beforeEach(async () => {
    const databaseUrl = await server.createDatabase()
    place = { kind: 'postgres', dataDir: server.folder, databaseUrl, env: {}, remove: () => {} }
    gateway = await startTestGateway(place, {
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    account = await gateway.account()
  })
  afterEach(async () => {
    await allowWrites(true)
    await gateway.stop()
  })
  const ready = async () => (await ask(gateway.url, 'GET', '/readyz')).status
  const label = async () => (await account.ask('POST', '/v1/keys', { label: 'x' })).status

  it('is left by every connection, serves no stale reads, and its successor is used automatically', async () => {
    expect([await ready(), await label()]).toEqual([200, 201])
    const before = await backendsOf(place.databaseUrl!)
    expect(before.length).toBeGreaterThan(0)
    await allowWrites(false)
    await until(async () => (await label()) === 502)
    await until(async () => (await ready()) === 503)
    await until(async () => (await backendsOf(place.databaseUrl!)).every(pid => !before.includes(pid)))
    expect((await account.ask('GET', '/v1/keys')).status).toBe(502)
    await allowWrites(true)
    await until(async () => (await ready()) === 200)
    expect(await label()).toBe(201)
  })
})

describe('Database connections', () => {
  it('have a maximum age, however busy they are', async () => {
    const url = await server.createDatabase()
    const store = await openPostgresStore({ url, poolSize: 1, maxAgeS: 1 })
    const pids = new Set<number>()
    await until(async () => {
      await store.now()
      for (const pid of await backendsOf(url)) pids.add(pid)
      return pids.size >= 3
    })
    await store.close()
  })

  it('wait for a primary in a process that starts while the server is a standby', async () => {
    const url = await server.createDatabase()
    await allowWrites(false)
    const opening = openPostgresStore({ url })
    await expect(opening).rejects.toMatchObject({ name: 'StoreUnavailable', cause: { code: '25006' } })
    await allowWrites(true)
  })
})
