import { createHash } from 'node:crypto'
import type { Migration } from './migration.ts'
import { spine } from './migrations/0001-spine.ts'
import { delivery } from './migrations/0002-delivery.ts'
import { hosting } from './migrations/0003-hosting.ts'
import { portal } from './migrations/0004-portal.ts'
import { sandbox } from './migrations/0005-sandbox.ts'
import type { Tx } from './tx.ts'

export const MIGRATIONS: readonly Migration[] = [spine, delivery, hosting, portal, sandbox]

export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.version

/** The database was written by a newer Postern: going on could damage it. */
export class NewerSchema extends Error {
  override name = 'NewerSchema'
}

/** Brings the schema up to `upTo`. The caller holds the lock that keeps other processes out. */
export async function migrate(tx: Tx, upTo: number = SCHEMA_VERSION): Promise<number[]> {
  await tx.run(
    'create table if not exists schema_migrations (version bigint primary key, name text not null, checksum text not null, applied_at bigint not null)',
  )
  const applied = await tx.all<{ version: number; checksum: string }>('select version, checksum from schema_migrations')
  const newest = Math.max(0, ...applied.map(row => row.version))
  if (newest > SCHEMA_VERSION) {
    throw new NewerSchema(
      `the database has schema version ${newest}, this Postern knows ${SCHEMA_VERSION}: start the newer version again, or restore a backup`,
    )
  }
  const known = new Map(applied.map(row => [row.version, row.checksum]))
  const done: number[] = []
  for (const migration of MIGRATIONS) {
    if (migration.version > upTo) break
    if (known.has(migration.version)) {
      if (known.get(migration.version) !== checksum(migration)) {
        throw new NewerSchema(
          `migration ${migration.version} (${migration.name}) differs from the one that was applied`,
        )
      }
      continue
    }
    await apply(tx, migration)
    done.push(migration.version)
  }
  return done
}

async function apply(tx: Tx, migration: Migration): Promise<void> {
  const own = tx.dialect === 'postgres' ? (migration.postgresOnly ?? []) : []
  for (const statement of [...migration.statements, ...own]) await tx.run(statement)
  await tx.insert('schema_migrations', [
    { version: migration.version, name: migration.name, checksum: checksum(migration), applied_at: tx.nowMs },
  ])
}

const checksum = (migration: Migration): string =>
  createHash('sha256')
    .update(JSON.stringify([migration.statements, migration.postgresOnly ?? []]))
    .digest('hex')
