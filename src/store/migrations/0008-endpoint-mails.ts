import type { Migration } from '../migration.ts'

/** Mails about endpoints that fail: when the next one of an account is due, and what the last one reported. */
export const endpointMails: Migration = {
  version: 8,
  name: 'endpoint-mails',
  statements: [
    // The `notified_at` or `switched_off_at` that a mail has reported.
    'alter table endpoints add column mailed_for bigint',
    `create table endpoint_mails (
      account_id text primary key references accounts(id),
      due_at bigint not null,
      tries bigint not null
    )`,
    'create index endpoint_mails_due on endpoint_mails (due_at)',
  ],
  oldestReader: 5,
}
