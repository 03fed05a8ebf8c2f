import type { Migration } from '../migration.ts'

/** Mails about endpoints that fail: when the next one is due, how often it was tried, and when the last one was sent. */
export const endpointMails: Migration = {
  version: 8,
  name: 'endpoint-mails',
  statements: [
    'alter table endpoints add column mail_due_at bigint',
    'alter table endpoints add column mail_tries bigint not null default 0',
    'alter table endpoints add column mailed_at bigint',
    'create index endpoints_mails on endpoints (mail_due_at) where mail_due_at is not null',
  ],
  oldestReader: 5,
}
