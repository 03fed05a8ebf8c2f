import type { Migration } from '../migration.ts'

/** Accounts, keys, sessions, webhooks, messages and the leases of running processes. */
export const spine: Migration = {
  version: 1,
  name: 'spine',
  statements: [
    `create table accounts (
      id text primary key, name text not null, plan text not null, limit_overrides text not null,
      tos_version text, tos_accepted_at bigint, created_at bigint not null)`,

    `create table users (
      id text primary key, account_id text not null references accounts(id), email text not null unique,
      password_hash text, is_operator bigint not null, created_at bigint not null)`,
    'create index users_account on users (account_id)',
    'create index users_operator on users (created_at, id) where is_operator = 1',
    `create table portal_sessions (
      token_hash bytea primary key, user_id text not null references users(id), created_at bigint not null,
      expires_at bigint not null, last_seen_at bigint not null)`,
    'create index portal_sessions_user on portal_sessions (user_id)',
    'create index portal_sessions_expiry on portal_sessions (expires_at)',
    `create table sign_in_links (
      token_hash bytea primary key, user_id text not null references users(id), created_at bigint not null,
      expires_at bigint not null, sealed bytea)`,
    'create index sign_in_links_user on sign_in_links (user_id)',
    'create index sign_in_links_expiry on sign_in_links (expires_at)',

    `create table api_keys (
      id text primary key, account_id text not null references accounts(id), label text not null, prefix text not null,
      key_hash bytea not null unique, scopes text not null, session_ids text, created_at bigint not null,
      last_used_at bigint, revoked_at bigint)`,
    'create index api_keys_account on api_keys (account_id, id)',

    `create table sessions (
      id text primary key, account_id text not null references accounts(id), phone text not null, device bigint not null,
      label text not null, platform text not null, state text not null, auto_reject bigint not null,
      auto_reject_message bytea, pace text, paced_until bigint, addressing text not null default 'auto', restricted_until bigint, link_reason text, link_until bigint, created_at bigint not null,
      connected_at bigint, last_event_at bigint, down_since bigint, last_connection_event text,
      told_event_id text)`,
    'create index sessions_account on sessions (account_id, id)',
    "create index sessions_logged_out on sessions (id) where state = 'logged_out'",

    `create table leases (
      kind text not null, id text not null, owner text, epoch bigint not null, pool text, changed_at bigint not null,
      primary key (kind, id), unique (kind, id, epoch))`,
    'create index leases_owner on leases (owner) where owner is not null',
    'create index leases_free on leases (pool, changed_at) where owner is null and pool is not null',
    // The heartbeats of lease owners: one row each, however many leases they own.
    `create table holders (
      id text primary key, node_id text not null, pool text not null, leases bigint not null, room bigint not null,
      beat bigint not null, lasts_until bigint not null)`,
    `create table nodes (
      id text primary key, roles text not null, address text not null, version text not null, listens text not null,
      clock_ahead_ms bigint not null, started_at bigint not null, seen_at bigint not null)`,

    `create table webhooks (
      id text primary key, account_id text not null references accounts(id), session_id text not null, phone text not null,
      messages_url text not null, status_url text not null, connection_url text not null, events_url text not null,
      secret bytea not null, old_secret bytea, old_secret_until bigint, active bigint not null,
      watched_until bigint not null default 0, created_at bigint not null, updated_at bigint not null,
      unique (account_id, session_id))`,
    'create index webhooks_session on webhooks (session_id)',

    `create table messages (
      id text primary key, account_id text not null, session_id text not null, request_key text, fingerprint bytea,
      request_id text not null, recipient text not null, type text not null, state text not null, platform_id text not null,
      server_id bigint, reason text, detail text, send_at bigint, created_at bigint not null, updated_at bigint not null,
      edits bigint not null default 0, revokes bigint not null default 0,
      receipts bigint not null default 0,
      rare text generated always as (case when state in ('cancelled', 'failed', 'played', 'scheduled') then state end) stored,
      unique (account_id, request_key)) {clustered}`,
    'create index messages_account on messages (account_id, id)',
    // Rare states have an index of their own. They are repeated in a separate column: an index on a column makes every
    // update of it more expensive, whatever its condition is.
    'create index messages_rare on messages (account_id, rare, id) where rare is not null',
    // Contents of sent messages; those of waiting messages are stored with their command.
    `create table message_contents (
      message_id text primary key, sealed bytea not null, expires_at bigint not null)`,
    'create index message_contents_expiry on message_contents (expires_at)',
    `create table message_states (
      message_id text not null, state text not null, recipient text not null, at bigint not null,
      detail text, primary key (message_id, state, recipient)) {clustered}`,

    `create table commands (
      id text primary key, session_id text not null, queue text not null, kind text not null, message_id text,
      sealed bytea, content bytea, attempt bigint not null, due_at bigint not null, created_at bigint not null,
      priority smallint, held_because text, held_from bigint) {clustered}`,
    'create index commands_due on commands (session_id, due_at, id)',
    'create index commands_urgent on commands (session_id, due_at, id) where priority is not null',
    'create index commands_held on commands (session_id, queue) where held_because is not null',
    // A chat with many commands would hide the others in an index by time.
    'create index commands_queue on commands (session_id, queue, due_at, id)',

    // Requests of the API to a number's host, to the host of a pairing, or to the sandbox network where neither is
    // named.
    `create table requests (
      id text primary key, session_id text, pairing_id text, kind text not null, sealed bytea not null, reply_to text,
      created_at bigint not null, expires_at bigint not null)`,
    'create index requests_session on requests (session_id, id)',
    'create index requests_pairing on requests (pairing_id, id)',
    'create index requests_expiry on requests (expires_at)',
    'create table answers (request_id text primary key, sealed bytea not null, expires_at bigint not null)',
    'create index answers_expiry on answers (expires_at)',
    // The traces of commands and events; written only with tracing.
    'create table traces (id text primary key, traceparent text not null, expires_at bigint not null)',
    'create index traces_expiry on traces (expires_at)',

    `create table account_meters (
      account_id text primary key, tokens double precision not null, tokens_at bigint not null, month text not null,
      month_messages bigint not null, waiting bigint not null default 0, waiting_counted_at bigint not null default 0)`,
    'create table request_meters (id text primary key, tokens double precision not null, tokens_at bigint not null)',
    // Open event streams of all processes.
    'create table open_streams (id text primary key, account_id text not null, node_id text not null)',
    'create index open_streams_account on open_streams (account_id)',
    `create table usage_deltas (
      account_id text not null, day text not null, hour bigint not null, metric text not null, n bigint not null)`,
    'create index usage_deltas_account on usage_deltas (account_id, day)',
    `create table usage_days (
      account_id text not null, day text not null, metric text not null, n bigint not null,
      primary key (account_id, day, metric))`,

    // Files that accounts upload, and files that people send to their numbers.
    `create table media (
      id text primary key, account_id text not null, session_id text, state text not null, place text not null,
      mime_type text not null, bytes bigint not null, sealed bytea not null, created_at bigint not null,
      expires_at bigint not null)`,
    'create index media_expires on media (expires_at)',
    // The files of an account and their bytes together, so that no request has to add them up.
    'create table media_usage (account_id text primary key, files bigint not null, bytes bigint not null)',
    // The encrypted pieces of a file, where no folder has it.
    `create table media_pieces (
      media_id text not null, piece bigint not null, content bytea not null, primary key (media_id, piece))`,

    'create table settings (name text primary key, value text not null)',
  ],
  postgresOnly: [
    'alter table holders set (fillfactor = 50)',
    // Free space for the next version of a row, so that updates need no index entries.
    'alter table messages set (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
    'alter table sessions set (fillfactor = 70)',
    'alter table account_meters set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)',
    'alter table request_meters set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)',
    'alter table usage_days set (fillfactor = 80)',
    'alter table message_contents set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
    'alter table message_states set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
    'alter table commands set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)',
    'alter table media_pieces alter column content set storage external',
    'alter table usage_deltas set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)',
  ],
}
