import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { databasePath, openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'

export const STORES = ['sqlite', 'postgres'] as const
export type StoreKind = (typeof STORES)[number]

/** A place for data that nothing else uses: a folder, and for PostgreSQL an empty database. */
export interface Place {
  kind: StoreKind
  dataDir: string
  databaseUrl: string | null
  /** The settings that make a gateway use it. */
  env: Record<string, string>
  remove(): void
}

export async function newPlace(kind: StoreKind): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'))
  const databaseUrl = kind === 'postgres' ? await newDatabase() : null
  return {
    kind,
    dataDir,
    databaseUrl,
    env: { POSTERN_DATA_DIR: dataDir, ...(databaseUrl === null ? {} : { POSTERN_DATABASE_URL: databaseUrl }) },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

async function newDatabase(): Promise<string> {
  const answer = await fetch(inject('databases'))
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

/** Opens the store itself, without a gateway around it. */
export async function openStore(place: Place, upTo?: number): Promise<Store> {
  const options = upTo === undefined ? {} : { upTo }
  if (place.databaseUrl !== null) return await openPostgresStore({ url: place.databaseUrl, ...options })
  return await openSqliteStore({ dataDir: place.dataDir, ...options })
}

/** Asks the database itself, past the store. */
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
