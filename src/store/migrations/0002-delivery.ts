import type { Migration } from '../migration.ts'

/** Undelivered events, the queue of their deliveries, their results, and replay jobs. */
export const delivery: Migration = {
  version: 2,
  name: 'delivery',
  statements: [
    `create table events (
      id text primary key, account_id text not null, session_id text not null, kind text not null,
      category text not null, history_type text, dedupe_id text not null, bytes bigint not null,
      pending bigint not null, created_at bigint not null, sealed bytea not null, extras bytea)`,
    // Large events without pending deliveries: payloads of dead letters.
    'create index events_large on events (account_id, id, bytes) where bytes > 8192 and pending <= 0',

    // A small payload is stored with its delivery; a larger one, and one that is resent, with its event.
    `create table deliveries (
      id text primary key, event_id text not null, account_id text not null, shard bigint not null, lane text not null,
      origin text not null, attempt bigint not null, due_at bigint not null, created_at bigint not null,
      updated_at bigint not null, webhook_id text not null, session_id text not null, kind text not null,
      event_type text, category text not null, dedupe_id text not null, bytes bigint not null, attempts text not null,
      redacted text not null, sealed bytea, extras bytea, given_up_at bigint)`,
    'create index deliveries_lane on deliveries (shard, lane, due_at, id)',
    'create index deliveries_account on deliveries (account_id, id)',
    // Deliveries whose payload is stored with their event.
    'create index deliveries_stored on deliveries (event_id) where sealed is null',
    "create index deliveries_replayed on deliveries (webhook_id, id) where origin = 'replay'",

    'create table history_heads (account_id text primary key, seq bigint not null)',
    `create table history (
      account_id text not null, slot bigint not null, id text not null, event_id text not null,
      webhook_id text not null, session_id text not null, kind text not null, event_type text not null,
      category text not null, dedupe_id text not null, origin text not null, attempts text not null,
      created_at bigint not null, updated_at bigint not null, redacted text not null,
      primary key (account_id, slot))`,
    'create index history_id on history (id)',

    `create table dead_letters (
      id text primary key, account_id text not null, event_id text not null, webhook_id text not null,
      session_id text not null, kind text not null, event_type text, category text not null, dedupe_id text not null,
      origin text not null, reason text not null, attempts text not null, created_at bigint not null,
      updated_at bigint not null, redelivered_at bigint, redacted text not null, replayed_as text)`,
    'create index dead_letters_account on dead_letters (account_id, id)',
    'create index dead_letters_webhook on dead_letters (webhook_id, id)',
    'create index dead_letters_event on dead_letters (event_id)',
    // Open dead letters are counted with an index-only scan.
    'create index dead_letters_open on dead_letters (account_id, id) where redelivered_at is null',

    // A dead letter that a failed resend has replaced.
    `create table replaced_letters (
      id text primary key, account_id text not null, event_id text not null, webhook_id text not null,
      session_id text not null, kind text not null, event_type text, category text not null, dedupe_id text not null,
      origin text not null, reason text not null, attempts text not null, created_at bigint not null,
      updated_at bigint not null, redacted text not null, replaced_by text not null, replayed_as text)`,
    'create index replaced_letters_account on replaced_letters (account_id, id)',
    'create index replaced_letters_event on replaced_letters (event_id)',

    // Events that programs read by cursor. The id is the account of listeners, or a pull endpoint: that has its position
    // here (acked), but neither an end nor a secret.
    `create table streams (
      id text primary key, seq bigint not null, total bigint not null, acked bigint not null default 0,
      listened_until bigint, secret bytea)`,
    `create table listeners (
      id text primary key, account_id text not null, acked bigint not null, heard_at bigint not null,
      expires_at bigint not null)`,
    'create index listeners_account on listeners (account_id)',
    'create index listeners_expires on listeners (expires_at)',
    `create table listened_events (
      stream_id text not null, seq bigint not null, total bigint not null, event_id text not null,
      session_id text not null, kind text not null, category text not null, dedupe_id text not null,
      bytes bigint not null, created_at bigint not null, expires_at bigint not null, sealed bytea not null, extras bytea,
      primary key (stream_id, seq))`,
    'create index listened_events_total on listened_events (stream_id, total)',
    'create index listened_events_expires on listened_events (expires_at)',

    `create table endpoints (
      id text primary key, account_id text not null references accounts(id), url text not null, keep_hours bigint,
      description text not null, kinds text, session_ids text, direction text, include text not null,
      signature text not null, retry text not null, reply bigint not null, headers bytea, header_names text not null, secret bytea not null,
      old_secret bytea, old_secret_until bigint, active bigint not null, failing_since bigint, notified_at bigint,
      switched_off_at bigint, request_key text, fingerprint bytea, created_at bigint not null, updated_at bigint not null)`,
    'create index endpoints_account on endpoints (account_id, id)',

    `create table replays (
      id text primary key, account_id text not null, webhook_id text not null, shard bigint not null,
      filter text not null, since bigint not null, until bigint not null, state text not null, total bigint not null,
      done bigint not null, delivered bigint not null, failed bigint not null, after_id text not null, created_at bigint not null, updated_at bigint not null)`,
    'create index replays_state on replays (state, shard)',
    'create index replays_webhook on replays (webhook_id)',
    'create index replays_account on replays (account_id)',

    // People whose data is being erased, and reports. The names are forgotten at the end.
    `create table erasures (
      id text primary key, account_id text not null, state text not null, names bytea, position bytea, erased text not null,
      claimed_until bigint not null, created_at bigint not null, finished_at bigint)`,
    "create index erasures_running on erasures (id) where state = 'running'",
  ],
  postgresOnly: [
    'alter table deliveries set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)',
    'alter table events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)',
    'alter table events alter column sealed set storage external',
    'alter table streams set (fillfactor = 50)',
    'alter table listened_events alter column sealed set storage external',
    'alter table history set (autovacuum_vacuum_scale_factor = 0.05)',
    'alter table history_heads set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)',
    'alter table dead_letters set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
    'alter table deliveries alter column sealed set storage external',
    // Payloads stay in the row: compressing them, or storing them out of line, would cost more than all the rest.
    'alter table deliveries alter column redacted set storage external',
    'alter table deliveries set (toast_tuple_target = 8160)',
  ],
}
