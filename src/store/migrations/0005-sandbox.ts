import type { Migration } from '../migration.ts'

/** The data and the address of the sandbox network. */
export const sandbox: Migration = {
  version: 5,
  name: 'sandbox',
  statements: [
    'create table simulator_entries (key text primary key, sealed bytea not null)',
    `create table simulator_address (
      name text primary key, url text not null, root_key bytea not null, media_ca text not null, media_host text not null,
      updated_at bigint not null)`,

    // Full payloads of a sandbox number that is watched, kept for a short time.
    `create table sandbox_payloads (
      event_id text primary key, session_id text not null, sealed bytea not null, expires_at bigint not null)`,
    'create index sandbox_payloads_session on sandbox_payloads (session_id)',
    'create index sandbox_payloads_expires on sandbox_payloads (expires_at)',

    // Files that sandbox numbers send. Unfinished uploads have no readable parts.
    `create table uploads (
      id text primary key, account_id text not null, mime_type text not null, bytes bigint not null,
      parts bigint not null, expires_at bigint not null)`,
    'create index uploads_account on uploads (account_id, expires_at, bytes)',
    'create index uploads_expires on uploads (expires_at)',
    `create table upload_parts (
      upload_id text not null, part text not null, sealed bytea not null, primary key (upload_id, part))`,
  ],
  postgresOnly: ['alter table upload_parts alter column sealed set storage external'],
}
