import type { Migration } from '../migration.ts'

/** What the sandbox network remembers, and where it is to be found. */
export const sandbox: Migration = {
  version: 5,
  name: 'sandbox',
  statements: [
    'create table simulator_entries (key text primary key, sealed bytea not null)',
    `create table simulator_address (
      name text primary key, url text not null, root_key bytea not null, media_ca text not null, media_host text not null,
      updated_at bigint not null)`,

    // What is posted for a sandbox number while somebody watches it, kept in full for a short while.
    `create table sandbox_payloads (
      event_id text primary key, session_id text not null, sealed bytea not null, expires_at bigint not null)`,
    'create index sandbox_payloads_session on sandbox_payloads (session_id)',
    'create index sandbox_payloads_expires on sandbox_payloads (expires_at)',
  ],
}
