import type { Migration } from '../migrate.ts'

/** Tries of received messages that never came to an end; what was given up is counted for the operator. */
export const unfinishedMessages: Migration = {
  version: 12,
  name: 'unfinished messages',
  statements: [
    `create table unfinished_messages (
      session_id text not null, key text not null, tries bigint not null, tried_at bigint not null,
      primary key (session_id, key))`,
    'create index unfinished_messages_age on unfinished_messages (tried_at)',
    "create index inbox_poison on inbox (session_id) where reason = 'poison'",
    "create index inbox_poison_kept on inbox (session_id, done_at, seq) where reason = 'poison' and sealed is not null",
  ],
}
