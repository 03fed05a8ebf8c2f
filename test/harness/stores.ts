import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { databasePath } from '../../src/store/sqlite/data-folder.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { IS_CLUSTER } from './is-cluster.ts'
import { inSize } from './matrix.ts'

export type StoreKind = 'sqlite' | 'postgres'
/** A cluster needs PostgreSQL. */
export const STORES: readonly StoreKind[] = IS_CLUSTER ? ['postgres'] : ['sqlite', 'postgres']

/**
 * For tests that use the store only as a client, while `test/contract` compares both kinds: one kind in `npm test`,
 * both in `npm run test:long`.
 */
export const ONE_STORE = inSize<readonly StoreKind[]>(['postgres'], STORES)

/** An unused place for data: a folder, and for PostgreSQL an empty database. */
export interface Place {
  kind: StoreKind
  dataDir: string
  databaseUrl: string | null
  /** The settings that make a gateway use this place. */
  env: Record<string, string>
  remove(): void
}

export async function newPlace(kind: StoreKind): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'))
  const databaseUrl = kind === 'postgres' ? await askDesk('database') : null
  const address =
    databaseUrl === null ? {} : IS_CLUSTER ? await pooled(databaseUrl) : { POSTERN_DATABASE_URL: databaseUrl }
  return {
    kind,
    dataDir,
    databaseUrl,
    env: { POSTERN_DATA_DIR: dataDir, ...address },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

/** The settings that make a gateway use a database through a real pooler. */
export async function pooled(databaseUrl: string): Promise<Record<string, string>> {
  const pooler = new URL(databaseUrl)
  pooler.port = await askDesk('pooler')
  return { POSTERN_DATABASE_URL: pooler.href, POSTERN_DATABASE_DIRECT_URL: databaseUrl }
}

async function askDesk(what: 'database' | 'pooler'): Promise<string> {
  const answer = await fetch(`${inject('databases')}${what}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

/** Opens the store directly, without a gateway. */
export async function openStore(place: Place, upTo?: number): Promise<Store> {
  const options = upTo === undefined ? {} : { upTo }
  if (place.databaseUrl !== null) return await openPostgresStore({ url: place.databaseUrl, ...options })
  return await openSqliteStore({ dataDir: place.dataDir, ...options })
}

/** Queries the database directly, without the store. */
export async function queryPlace<R = Record<string, unknown>>(place: Place, sql: string): Promise<R[]> {
  if (place.databaseUrl === null) {
    const database = openDatabase(databasePath(place.dataDir), { readOnly: sql.trimStart().startsWith('select') })
    try {
      return database.prepare(sql).all() as R[]
    } finally {
      database.close()
    }
  }
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  try {
    return (await client.query(sql)).rows as R[]
  } finally {
    await client.end()
  }
}
