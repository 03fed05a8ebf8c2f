import type { Migration } from '../migrate.ts'

/** What the sandbox network remembers, and where it is to be found. */
export const sandbox: Migration = {
  version: 5,
  name: 'sandbox',
  statements: [
    'create table simulator_entries (key text primary key, sealed bytea not null)',
    `create table simulator_address (
      name text primary key, url text not null, root_key bytea not null, media_ca text not null, media_host text not null,
      updated_at bigint not null)`,
  ],
}
