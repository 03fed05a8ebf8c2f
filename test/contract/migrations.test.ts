import { describe, expect, it, vi } from 'vitest'
import { makeId } from '../../src/domain/ids.ts'
import { MIGRATIONS, NewerSchema, SCHEMA_VERSION } from '../../src/store/migrate.ts'
import { newPlace, openStore, type Place, queryPlace, STORES } from '../harness/stores.ts'

vi.setConfig({ testTimeout: 120_000 })

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

/** The shape of every table, to compare databases that came to their schema by different ways. */
const shapeOf = async (place: Place): Promise<unknown> =>
  place.databaseUrl === null
    ? await queryPlace(place, "select name, sql from sqlite_master where name not like 'sqlite_%' order by name")
    : await queryPlace(
        place,
        'select table_name, column_name, data_type, is_nullable from information_schema.columns where table_schema = current_schema() order by 1, 2',
      )

describe('migrations', () => {
  it('are numbered from 1 without gaps', () => {
    expect(MIGRATIONS.map(migration => migration.version)).toEqual(MIGRATIONS.map((_, i) => i + 1))
    expect(SCHEMA_VERSION).toBe(MIGRATIONS.length)
  })
})

describe.each(STORES)('migrations on %s', kind => {
  it('from empty and from every earlier version lead to the same schema, and keep what was there', async () => {
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

  it('a second start changes nothing', async () => {
    const place = await newPlace(kind)
    await (await openStore(place)).close()
    const before = await queryPlace(place, 'select * from schema_migrations order by version')
    await (await openStore(place)).close()
    expect(await queryPlace(place, 'select * from schema_migrations order by version')).toEqual(before)
    place.remove()
  })

  it('two nodes that start at once, on an empty database and on an old one, both succeed', async () => {
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

  it('a newer schema is refused, and left as it is', async () => {
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

  it('a migration that differs from the one that was applied is refused', async () => {
    const place = await newPlace(kind)
    await (await openStore(place)).close()
    await queryPlace(place, "update schema_migrations set checksum = 'other' where version = 1 returning version")
    await expect(openStore(place)).rejects.toThrow('migration 1 (spine) differs from the one that was applied')
    place.remove()
  })
})
