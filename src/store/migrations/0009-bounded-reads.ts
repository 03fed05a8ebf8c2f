import type { Migration } from '../migration.ts'

/** Indexes for reads that had to skip many rows of one account: its dead letters, and requests to the sandbox network. */
export const boundedReads: Migration = {
  version: 9,
  name: 'bounded-reads',
  statements: [],
  concurrently: [
    'create index if not exists dead_letters_event_webhook on dead_letters (event_id, webhook_id, id)',
    'drop index if exists dead_letters_event',
    'create index if not exists dead_letters_number on dead_letters (account_id, session_id) where redelivered_at is null',
    'create index if not exists requests_sandbox on requests (id) where session_id is null and pairing_id is null',
  ],
  oldestReader: 5,
}
