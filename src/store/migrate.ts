import { createHash } from 'node:crypto'
import type { Migration } from './migration.ts'
import { spine } from './migrations/0001-spine.ts'
import { delivery } from './migrations/0002-delivery.ts'
import { hosting } from './migrations/0003-hosting.ts'
import { portal } from './migrations/0004-portal.ts'
import { sandbox } from './migrations/0005-sandbox.ts'
import { appearance } from './migrations/0006-appearance.ts'
import { firstHistory } from './migrations/0007-first-history.ts'
import { endpointMails } from './migrations/0008-endpoint-mails.ts'
import { boundedReads } from './migrations/0009-bounded-reads.ts'
import { namedFirstColumns } from './migrations/0010-named-first-columns.ts'
import { ownLeaseTime } from './migrations/0011-own-lease-time.ts'
import type { Tx } from './transaction.ts'

export const MIGRATIONS: readonly Migration[] = [
  spine,
  delivery,
  hosting,
  portal,
  sandbox,
  appearance,
  firstHistory,
  endpointMails,
  boundedReads,
  namedFirstColumns,
  ownLeaseTime,
]

export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.version

/** A newer Postern wrote the database: this one could damage it. */
export class NewerSchema extends Error {
  override name = 'NewerSchema'
}

interface Applied {
  version: number
  checksum: string
  oldestReader: number | null
}

/**
 * Migrates the schema to `upTo`. The caller holds the lock that excludes other processes. A newer schema that supports
 * this program is left as it is, so that old and new processes can run side by side during an upgrade.
 */
export async function migrate(tx: Tx, upTo?: number, migrations: readonly Migration[] = MIGRATIONS): Promise<number[]> {
  const last = upTo ?? migrations.at(-1)!.version
  await tx.run(
    `create table if not exists schema_migrations (version bigint primary key, name text not null, checksum text not null,
      oldest_reader bigint, applied_at bigint not null)`,
  )
  const applied = await tx.all<Applied>(
    'select version, checksum, oldest_reader as "oldestReader" from schema_migrations',
  )
  rejectNewer(applied, migrations.at(-1)!.version)
  const known = new Map(applied.map(row => [row.version, row.checksum]))
  const done: number[] = []
  for (const migration of migrations) {
    if (migration.version > last) break
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

/** Every unknown migration names the oldest program that may use the schema. */
function rejectNewer(applied: Applied[], own: number): void {
  const strangers = applied.filter(({ version, oldestReader }) => version > own && (oldestReader ?? version) > own)
  if (strangers.length === 0) return
  const newest = Math.max(...applied.map(({ version }) => version))
  throw new NewerSchema(
    `the database has schema version ${newest}, this Postern knows ${own}: start the newer version again, or restore a backup`,
  )
}

async function apply(tx: Tx, migration: Migration): Promise<void> {
  const { version, name, statements, postgresOnly = [], concurrently = [], oldestReader = null } = migration
  const own = tx.dialect === 'postgres' ? postgresOnly : concurrently
  const clustered = tx.dialect === 'sqlite' ? 'without rowid' : ''
  for (const statement of [...statements, ...own]) await tx.run(statement.replace(CLUSTERED, clustered))
  const row = { version, name, checksum: checksum(migration), oldest_reader: oldestReader, applied_at: tx.nowMs }
  await tx.insert('schema_migrations', [row])
}

/** Behind a table whose rows SQLite keeps in the order of the primary key, without a separate index for it. */
const CLUSTERED = '{clustered}'

const checksum = ({ statements, postgresOnly = [], concurrently = [] }: Migration): string =>
  createHash('sha256')
    .update(JSON.stringify([statements, postgresOnly, ...(concurrently.length > 0 ? [concurrently] : [])]))
    .digest('hex')
