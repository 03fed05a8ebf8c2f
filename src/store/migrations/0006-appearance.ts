import type { Migration } from '../migration.ts'

/**
 * How numbers reach the platform and appear to their contacts, what the platform limits, whose chats are followed, and which
 * kinds of events listeners read.
 */
export const appearance: Migration = {
  version: 6,
  name: 'appearance',
  statements: [
    "alter table sessions add column appear text not null default 'auto'",
    'alter table sessions add column paused smallint not null default 0',
    'alter table sessions add column proxy bytea',
    'alter table pairings add column proxy bytea',
    'alter table sessions add column restriction_type text',
    'alter table sessions add column restricted_at bigint',
    'alter table sessions add column new_chat_cap text',
    'alter table sessions add column ban text',
    'alter table sessions add column chats_since bigint',
    'alter table sessions add column chats_synced_at bigint',
    // The messages that the platform refused, by its code and the day since 1970.
    `create table refusals (session_id text not null, code bigint not null, day bigint not null, n bigint not null,
      last_at bigint not null, primary key (session_id, code, day))`,
    // A JSON array; null for all kinds.
    'alter table listeners add column kinds text',
  ],
  oldestReader: 5,
}
