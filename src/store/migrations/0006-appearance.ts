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
    // Requests to phones for older messages of a chat.
    `create table history_jobs (id text primary key, session_id text not null, platform_id text not null, chat_jid text not null,
      state text not null, wanted bigint not null, found bigint not null, has_more smallint, created_at bigint not null,
      updated_at bigint not null, ends_at bigint not null)`,
    'create unique index history_jobs_request on history_jobs (session_id, platform_id)',
    'create index history_jobs_created on history_jobs (created_at)',
    // A JSON array; null for all kinds.
    'alter table listeners add column kinds text',
  ],
  oldestReader: 5,
}
