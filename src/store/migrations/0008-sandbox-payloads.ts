import type { Migration } from '../migrate.ts'

/** What is posted for a sandbox number while somebody watches it, kept in full for a short while. */
export const sandboxPayloads: Migration = {
  version: 8,
  name: 'sandbox payloads',
  statements: [
    'alter table webhooks add column watched_until bigint not null default 0',
    `create table sandbox_payloads (
      event_id text primary key, session_id text not null, sealed bytea not null, expires_at bigint not null)`,
    'create index sandbox_payloads_session on sandbox_payloads (session_id)',
    'create index sandbox_payloads_expires on sandbox_payloads (expires_at)',
  ],
}
