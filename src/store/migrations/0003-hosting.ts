import type { Migration } from '../migration.ts'

/** The durable data of hosted sessions: credentials, keys, received items, and pairings. */
export const hosting: Migration = {
  version: 3,
  name: 'hosting',
  statements: [
    // The web client versions that numbers logged in as.
    `create table platform_versions (
      platform text not null, revision bigint not null, source text not null, learnt_at bigint not null,
      confirmed_at bigint, expires_at bigint, primary key (platform, revision))`,

    'create table device_creds (session_id text primary key, sealed bytea not null)',
    `create table device_keys (
      session_id text not null, category text not null, id text not null, sealed bytea not null,
      primary key (session_id, category, id))`,

    `create table inbox (
      session_id text not null, key text not null, seq bigint not null, kind text not null, chat text not null,
      received_at bigint not null, sealed bytea, begun_by text, done_at bigint, reason text,
      primary key (session_id, key))`,
    'create index inbox_waiting on inbox (session_id, seq) where done_at is null',
    'create index inbox_done on inbox (session_id, done_at) where done_at is not null',
    // Abandoned items are counted for the operator, and the latest bodies are kept.
    "create index inbox_poison on inbox (session_id, done_at) where reason = 'poison'",
    "create index inbox_poison_kept on inbox (session_id, done_at, seq) where reason = 'poison' and sealed is not null",

    // Tries of unfinished received messages.
    `create table unfinished_messages (
      session_id text not null, key text not null, tries bigint not null, tried_at bigint not null,
      primary key (session_id, key))`,
    'create index unfinished_messages_age on unfinished_messages (tried_at)',

    `create table sent_messages (
      session_id text not null, platform_id text not null, sealed bytea not null, expires_at bigint not null,
      primary key (session_id, platform_id))`,
    'create index sent_messages_expiry on sent_messages (expires_at)',
    `create table seen_messages (
      session_id text not null, message_id text not null, chat_jid text not null, sender_jid text not null,
      from_me bigint not null, secret bytea, expires_at bigint not null, primary key (session_id, message_id, chat_jid))`,
    'create index seen_messages_chat on seen_messages (session_id, chat_jid, from_me, expires_at)',
    'create index seen_messages_expiry on seen_messages (session_id, from_me, expires_at)',

    // When a number with a pace wrote to a new contact.
    `create table first_messages (
      session_id text not null, chat_jid text not null, at bigint not null, primary key (session_id, chat_jid))`,
    'create index first_messages_session on first_messages (session_id, at)',
    'create index first_messages_age on first_messages (at)',

    `create table presence_subscriptions (
      session_id text not null, contact_jid text not null, created_at bigint not null,
      primary key (session_id, contact_jid))`,

    // What is known of the chats of numbers whose chats are followed; null where nothing is known. Only the primary key
    // is indexed, so that a message changes no index.
    `create table chats (
      session_id text not null, jid text not null, last_activity bigint, unread bigint not null, read_through bigint,
      marked_unread smallint, archived smallint, pinned smallint, muted_until bigint,
      primary key (session_id, jid))`,
    `create table chat_labels (
      session_id text not null, jid text not null, label text not null, primary key (session_id, jid, label))`,
    `create table labels (
      session_id text not null, id text not null, sealed bytea not null, primary key (session_id, id))`,

    // Numbers that have left for another gateway or came from one. `epoch` is the highest that this gateway knows: a file
    // with it, or an earlier one, is not imported any more. `importing` names the import that fills the tables now.
    `create table moved_numbers (
      session_id text primary key, epoch bigint not null, exported_at bigint, importing text, importing_at bigint)`,
    'create index moved_numbers_importing on moved_numbers (importing_at) where importing is not null',

    `create table pairings (
      id text primary key, account_id text not null references accounts(id), platform text not null, method text not null,
      phone text, label text not null, status text not null, step bytea, step_expires_at bigint, session_id text,
      error text, owner text, claimed_until bigint not null, created_at bigint not null, updated_at bigint not null,
      expires_at bigint not null)`,
    'create index pairings_account on pairings (account_id, id)',
    'create index pairings_expiry on pairings (expires_at)',
  ],
  postgresOnly: [
    'alter table device_keys set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)',
    'alter table inbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)',
    'alter table device_creds set (fillfactor = 70)',
    'alter table chats set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)',
    'alter table sent_messages set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
    'alter table seen_messages set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
  ],
}
