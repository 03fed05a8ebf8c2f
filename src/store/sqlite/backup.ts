import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { SCHEMA_VERSION } from '../migrate.ts'
import { type Database, openDatabase } from './driver.ts'

export interface BackupFacts {
  accounts: number
  sessions: number
  messages: number
  /** A known text, sealed under the key of the data. */
  keyCheck: string
}

/** Writes a consistent copy of the database while it is in use. Only the user can read it, from its first byte. */
export function writeBackup(databaseFile: string, to: string): void {
  // SQLite writes into an empty file, and keeps its mode.
  writeFileSync(to, '', { mode: 0o600, flag: 'wx' })
  let database: Database | undefined
  try {
    database = openDatabase(databaseFile, { readOnly: true })
    database.prepare('vacuum into ?').run(to)
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  } finally {
    database?.close()
  }
}

/** Checks a copy; returns what is wrong with it, or its facts. */
export function examineBackup(file: string): BackupFacts | { wrong: string } {
  if (!existsSync(file)) return { wrong: 'there is no such file' }
  let database: Database | undefined
  try {
    database = openDatabase(file, { readOnly: true })
    return factsOf(database)
  } catch (error) {
    return { wrong: `it cannot be read (${(error as Error).message})` }
  } finally {
    database?.close()
  }
}

function factsOf(database: Database): BackupFacts | { wrong: string } {
  const one = (sql: string) => Object.values(database.prepare(sql).get() as Record<string, unknown>)[0]
  const damage = one('pragma integrity_check')
  if (damage !== 'ok') return { wrong: `it is damaged (${String(damage)})` }
  const version = Number(one('select max(version) as version from schema_migrations'))
  if (version > SCHEMA_VERSION)
    return { wrong: `a newer Postern wrote it (schema ${version}, known are ${SCHEMA_VERSION})` }
  return {
    accounts: Number(one('select count(*) as n from accounts')),
    sessions: Number(one('select count(*) as n from sessions')),
    messages: Number(one('select count(*) as n from messages')),
    keyCheck: String(one("select value from settings where name = 'key_check'")),
  }
}
