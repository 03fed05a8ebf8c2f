import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { mintKey } from '../../src/domain/api-key.ts'
import { makeId } from '../../src/domain/ids.ts'
import { MIGRATIONS, NewerSchema, SCHEMA_VERSION } from '../../src/store/migrate.ts'
import type { Migration } from '../../src/store/migration.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { AcceptRequest } from '../../src/store/messages/accept-messages.ts'
import { newPlace, openStore, type Place, queryPlace, STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const versionsOf = async (place: Place): Promise<number[]> =>
  (await queryPlace(place, 'select version from schema_migrations order by version')).map(row => Number(row.version))

const account = (name: string) => ({
  id: makeId('acc'),
  name,
  plan: 'free' as const,
  limitOverrides: {},
  acceptTosVersion: null,
  user: null,
  key: null,
})

const acceptRequest = ({ id, accountId }: { id: string; accountId: string }, perMonth: number): AcceptRequest => ({
  accountId,
  limits: { perSecond: null, burst: null, perMonth },
  message: {
    id: makeId('msg'),
    sessionId: id,
    requestKey: null,
    fingerprint: null,
    to: '15550002222@s.whatsapp.net',
    type: 'text',
    platformId: makeId('msg'),
    sendAt: null,
  },
  sealedContent: Buffer.from('sealed'),
})

/** The shape of every table, to compare databases that reached their schema in different ways. */
const shapeOf = async (place: Place): Promise<unknown> =>
  place.databaseUrl === null
    ? await queryPlace(place, "select name, sql from sqlite_master where name not like 'sqlite_%' order by name")
    : await queryPlace(
        place,
        'select table_name, column_name, data_type, is_nullable from information_schema.columns where table_schema = current_schema() order by 1, 2',
      )

describe('Migrations', () => {
  it('are numbered from 1 without gaps', () => {
    expect(MIGRATIONS.map(migration => migration.version)).toEqual(MIGRATIONS.map((_, i) => i + 1))
    expect(SCHEMA_VERSION).toBe(MIGRATIONS.length)
  })
})

describe.each(STORES)('Migrations on %s', kind => {
  it('lead from empty and from every earlier version to the same schema, and keep the data', async () => {
    const fresh = await newPlace(kind)
    await (await openStore(fresh)).close()
    const shape = await shapeOf(fresh)
    for (let version = 1; version < SCHEMA_VERSION; version++) {
      const place = await newPlace(kind)
      const old = await openStore(place, version)
      const made = account(`from ${version}`)
      await old.accounts.createAccount(made)
      await old.close()
      expect(await versionsOf(place)).toEqual(MIGRATIONS.slice(0, version).map(migration => migration.version))
      const store = await openStore(place)
      expect((await store.accounts.getAccount(made.id))?.name).toBe(`from ${version}`)
      await store.close()
      expect(await versionsOf(place)).toEqual(MIGRATIONS.map(migration => migration.version))
      expect(await shapeOf(place)).toEqual(shape)
      place.remove()
    }
    fresh.remove()
  })

  it('change nothing on a second start', async () => {
    const place = await newPlace(kind)
    await (await openStore(place)).close()
    const before = await queryPlace(place, 'select * from schema_migrations order by version')
    await (await openStore(place)).close()
    expect(await queryPlace(place, 'select * from schema_migrations order by version')).toEqual(before)
    place.remove()
  })

  it('succeed on two nodes that start at once, on an empty database and on an old one', async () => {
    for (const from of [0, 1]) {
      const place = await newPlace(kind)
      if (from > 0) await (await openStore(place, from)).close()
      const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(place)))
      for (const [i, store] of stores.entries()) await store.accounts.createAccount(account(`node ${i}`))
      expect((await stores[0]!.accounts.listAccounts({ cursor: null, limit: 10 })).data).toHaveLength(4)
      for (const store of stores) await store.close()
      expect(await versionsOf(place)).toEqual(MIGRATIONS.map(migration => migration.version))
      place.remove()
    }
  })

  it('reject a newer schema, and leave it unchanged', async () => {
    const place = await newPlace(kind)
    await (await openStore(place)).close()
    await queryPlace(
      place,
      `insert into schema_migrations (version, name, checksum, applied_at) values (${SCHEMA_VERSION + 1}, 'later', 'x', 0) returning version`,
    )
    await expect(openStore(place)).rejects.toThrow(NewerSchema)
    await expect(openStore(place)).rejects.toThrow(`schema version ${SCHEMA_VERSION + 1}`)
    expect((await versionsOf(place)).at(-1)).toBe(SCHEMA_VERSION + 1)
    place.remove()
  })

  it('reject a migration that differs from the applied one', async () => {
    const place = await newPlace(kind)
    await (await openStore(place)).close()
    await queryPlace(place, "update schema_migrations set checksum = 'other' where version = 1 returning version")
    await expect(openStore(place)).rejects.toThrow('migration 1 (spine) differs from the one that was applied')
    place.remove()
  })
})

describe('While one version replaces another on PostgreSQL', () => {
  const next = (more: Partial<Migration>): Migration[] => [
    ...MIGRATIONS,
    { version: SCHEMA_VERSION + 1, name: 'later', statements: ['alter table accounts add column later text'], ...more },
  ]

  async function withPlace(work: (url: string, client: pg.Client) => Promise<void>): Promise<void> {
    const place = await newPlace('postgres')
    const client = new pg.Client({ connectionString: place.databaseUrl! })
    await client.connect()
    try {
      await work(place.databaseUrl!, client)
    } finally {
      await client.end()
      place.remove()
    }
  }

  it('the older one continues, and can restart, with a newer schema that allows for it', async () => {
    await withPlace(async url => {
      const old = await openPostgresStore({ url })
      const migrations = next({ oldestReader: SCHEMA_VERSION })
      const young = await openPostgresStore({ url, migrations })
      await old.accounts.createAccount(account('by the old one'))
      await young.accounts.createAccount(account('by the new one'))
      const again = await openPostgresStore({ url })
      expect((await again.accounts.listAccounts({ cursor: null, limit: 10 })).data).toHaveLength(2)
      for (const store of [old, young, again]) await store.close()
      const strange = { version: SCHEMA_VERSION + 2, name: 'strange', statements: [] }
      await (await openPostgresStore({ url, migrations: [...migrations, strange] })).close()
      await expect(openPostgresStore({ url })).rejects.toThrow(NewerSchema)
    })
  })

  it('the older one can repeat its queries, whatever columns its tables have got since', async () => {
    await withPlace(async (url, client) => {
      const old = await openPostgresStore({ url })
      const { stored } = mintKey({ label: 'again', scopes: ['send'], sessionIds: null })
      const asking = { ...account('asks again'), key: stored }
      await old.accounts.createAccount(asking)
      const number = { id: '15550001111@s.whatsapp.net', accountId: asking.id }
      const newNumber = { ...number, phone: '15550001111', device: 1, label: '', maxSessions: null }
      await old.sessions.registerSession({ ...newNumber, platform: 'whatsapp' })
      const { rows } = await client.query('select tablename from pg_tables where schemaname = current_schema()')
      const tables = rows.map(row => row.tablename as string).filter(name => name !== 'schema_migrations')
      const askAll = async () => {
        expect((await old.keys.findKeyByHash(stored.hash))?.account.id).toBe(asking.id)
        expect(await old.sessions.updateSession({ ...number, label: 'again' })).toBe('updated')
        for (const perMonth of [1_000, 0])
          expect(await old.messages.acceptMessage(acceptRequest(number, perMonth))).toHaveProperty('kind')
      }
      await askAll()
      const statements = tables.map(table => `alter table ${table} add column later text`)
      await (await openPostgresStore({ url, migrations: next({ oldestReader: SCHEMA_VERSION, statements }) })).close()
      await askAll()
      await old.close()
    })
  })

  it('no statement returns all columns of a table', () => {
    const folder = join(import.meta.dirname, '../../src/store')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
    const asking = files.filter(name => /[`'"]select \* from [a-z]/.test(readFileSync(join(folder, name), 'utf8')))
    expect(asking).toEqual([])
  })

  it('an index of a large table is created while others write, even if its creation was interrupted before', async () => {
    await withPlace(async (url, client) => {
      const old = await openPostgresStore({ url })
      await client.query(
        "create index accounts_before on accounts (name); create index accounts_later on accounts (name); update pg_index set indisvalid = false where indexrelid = 'accounts_later'::regclass",
      )
      await client.query("begin; insert into settings (name, value) values ('held', 'open')")
      const migrations = next({
        oldestReader: SCHEMA_VERSION,
        concurrently: [
          'create index if not exists accounts_later on accounts (name, created_at)',
          'drop index if exists accounts_before',
        ],
      })
      const opening = openPostgresStore({ url, migrations })
      await old.accounts.createAccount(account('meanwhile'))
      await client.query('commit')
      await (await opening).close()
      const { rows } = await client.query(
        "select i.indisvalid, pg_get_indexdef(i.indexrelid) as made from pg_index i where i.indexrelid = 'accounts_later'::regclass",
      )
      expect(rows).toEqual([{ indisvalid: true, made: expect.stringContaining('(name, created_at)') }])
      expect((await client.query("select to_regclass('accounts_before') as found")).rows).toEqual([{ found: null }])
      await old.close()
    })
  })

  it('a change in a deadlock with a writer yields to it, and is retried', async () => {
    await withPlace(async (url, client) => {
      const old = await openPostgresStore({ url })
      const statements = ['sessions', 'accounts'].map(table => `alter table ${table} add column later text`)
      await client.query('begin; lock table accounts in access share mode')
      const opening = openPostgresStore({ url, migrations: next({ oldestReader: SCHEMA_VERSION, statements }) })
      const isWaiting = async () =>
        (await client.query('select 1 from pg_locks where not granted and locktype = $1', ['relation'])).rows.length > 0
      await until(isWaiting)
      await client.query('select count(*) from sessions')
      await client.query('commit')
      await (await opening).close()
      expect((await client.query('select count(later) as n from accounts')).rows).toEqual([{ n: '0' }])
      await old.close()
    })
  })

  it('a read in a deadlock with a change is retried', async () => {
    await withPlace(async (url, client) => {
      const old = await openPostgresStore({ url })
      await client.query("begin; set local deadlock_timeout = '60s'; lock table holders in access exclusive mode")
      const reading = old.sessions.getSession('15550001111@s.whatsapp.net')
      const isWaiting = async () =>
        (await client.query('select 1 from pg_locks where not granted and locktype = $1', ['relation'])).rows.length > 0
      await until(isWaiting)
      await client.query('lock table sessions in access exclusive mode')
      await client.query('commit')
      expect(await reading).toBeUndefined()
      await old.close()
    })
  })

  it('a change whose table is in use yields to the writers, and is retried', async () => {
    await withPlace(async (url, client) => {
      const old = await openPostgresStore({ url })
      await client.query('begin; lock table accounts in access share mode')
      const opening = openPostgresStore({ url, migrations: next({ oldestReader: SCHEMA_VERSION }) })
      for (let i = 0; i < 3; i++) await old.accounts.createAccount(account(`meanwhile ${i}`))
      await client.query('commit')
      await (await opening).close()
      expect((await client.query('select count(later), count(*) as all from accounts')).rows[0].all).toBe('3')
      await old.close()
    })
  })
})
