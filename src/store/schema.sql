-- The tables as all migrations leave them, on both engines. Written by `npm run schema`, never by hand.
-- How PostgreSQL alone stores them (autovacuum, fill factors) stands in the migrations.

create table account_meters (
  account_id text primary key,
  tokens double precision not null,
  tokens_at bigint not null,
  month text not null,
  month_messages bigint not null,
  waiting bigint not null default 0,
  waiting_counted_at bigint not null default 0
);

create table accounts (
  id text primary key,
  name text not null,
  plan text not null,
  limit_overrides text not null,
  tos_version text,
  tos_accepted_at bigint,
  created_at bigint not null
);

create table answers (
  request_id text primary key,
  sealed bytea not null,
  expires_at bigint not null
);
create index answers_expiry on answers (expires_at);

create table api_keys (
  id text primary key,
  account_id text not null references accounts(id),
  label text not null,
  prefix text not null,
  key_hash bytea not null unique,
  scopes text not null,
  session_ids text,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint
);
create index api_keys_account on api_keys (account_id, id);

create table api_log (
  id text primary key,
  account_id text not null,
  from_at bigint not null,
  until_at bigint not null,
  n bigint not null,
  requests text not null
);
create index api_log_account on api_log (account_id, id, n, from_at, until_at);
create index api_log_until on api_log (until_at);

create table chat_labels (
  session_id text not null,
  jid text not null,
  label text not null,
  primary key (session_id, jid, label)
);

create table chats (
  session_id text not null,
  jid text not null,
  last_activity bigint,
  unread bigint not null,
  read_through bigint,
  marked_unread smallint,
  archived smallint,
  pinned smallint,
  muted_until bigint,
  primary key (session_id, jid)
);

create table commands (
  id text primary key,
  session_id text not null,
  queue text not null,
  kind text not null,
  message_id text,
  sealed bytea,
  content bytea,
  attempt bigint not null,
  due_at bigint not null,
  created_at bigint not null,
  priority smallint,
  held_because text,
  held_from bigint
);
create index commands_due on commands (session_id, due_at, id);
create index commands_held on commands (session_id, queue) where held_because is not null;
create index commands_queue on commands (session_id, queue, due_at, id);
create index commands_urgent on commands (session_id, due_at, id) where priority is not null;

create table dead_letters (
  id text primary key,
  account_id text not null,
  event_id text not null,
  webhook_id text not null,
  session_id text not null,
  kind text not null,
  event_type text,
  category text not null,
  dedupe_id text not null,
  origin text not null,
  reason text not null,
  attempts text not null,
  created_at bigint not null,
  updated_at bigint not null,
  redelivered_at bigint,
  redacted text not null,
  replayed_as text
);
create index dead_letters_account on dead_letters (account_id, id);
create index dead_letters_changed on dead_letters (account_id, updated_at);
create index dead_letters_event_webhook on dead_letters (event_id, webhook_id, id);
create index dead_letters_number on dead_letters (account_id, session_id) where redelivered_at is null;
create index dead_letters_open on dead_letters (account_id, id) where redelivered_at is null;
create index dead_letters_webhook on dead_letters (webhook_id, id);

create table deliveries (
  id text primary key,
  event_id text not null,
  account_id text not null,
  shard bigint not null,
  lane text not null,
  origin text not null,
  attempt bigint not null,
  due_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  webhook_id text not null,
  session_id text not null,
  kind text not null,
  event_type text,
  category text not null,
  dedupe_id text not null,
  bytes bigint not null,
  attempts text not null,
  redacted text not null,
  sealed bytea,
  extras bytea,
  given_up_at bigint
);
create index deliveries_account_id on deliveries (account_id, id) where account_id is not null;
create index deliveries_replayed on deliveries (webhook_id, id) where origin = 'replay';
create index deliveries_shard_lane on deliveries (shard, lane, due_at, id) where shard is not null;
create index deliveries_stored on deliveries (event_id) where sealed is null;

create table device_creds (
  session_id text primary key,
  sealed bytea not null
);

create table device_keys (
  session_id text not null,
  category text not null,
  id text not null,
  sealed bytea not null,
  primary key (session_id, category, id)
);

create table endpoint_mails (
  account_id text primary key references accounts(id),
  due_at bigint not null,
  tries bigint not null
);
create index endpoint_mails_due on endpoint_mails (due_at);

create table endpoints (
  id text primary key,
  account_id text not null references accounts(id),
  url text not null,
  keep_hours bigint,
  description text not null,
  kinds text,
  session_ids text,
  direction text,
  include text not null,
  signature text not null,
  retry text not null,
  reply bigint not null,
  headers bytea,
  header_names text not null,
  secret bytea not null,
  old_secret bytea,
  old_secret_until bigint,
  active bigint not null,
  failing_since bigint,
  notified_at bigint,
  switched_off_at bigint,
  request_key text,
  fingerprint bytea,
  created_at bigint not null,
  updated_at bigint not null,
  mailed_for bigint
);
create index endpoints_account on endpoints (account_id, id);

create table erasures (
  id text primary key,
  account_id text not null,
  state text not null,
  names bytea,
  position bytea,
  erased text not null,
  claimed_until bigint not null,
  created_at bigint not null,
  finished_at bigint
);
create index erasures_running on erasures (id) where state = 'running';

create table events (
  id text primary key,
  account_id text not null,
  session_id text not null,
  kind text not null,
  category text not null,
  history_type text,
  dedupe_id text not null,
  bytes bigint not null,
  pending bigint not null,
  created_at bigint not null,
  sealed bytea not null,
  extras bytea
);
create index events_large on events (account_id, id, bytes) where bytes > 8192 and pending <= 0;

create table first_messages (
  session_id text not null,
  chat_jid text not null,
  at bigint not null,
  primary key (session_id, chat_jid)
);
create index first_messages_age on first_messages (at);
create index first_messages_session on first_messages (session_id, at);

create table history (
  account_id text not null,
  slot bigint not null,
  id text not null,
  event_id text not null,
  webhook_id text not null,
  session_id text not null,
  kind text not null,
  event_type text not null,
  category text not null,
  dedupe_id text not null,
  origin text not null,
  attempts text not null,
  created_at bigint not null,
  updated_at bigint not null,
  redacted text not null,
  primary key (account_id, slot)
);
create index history_id on history (id);

create table history_heads (
  account_id text primary key,
  seq bigint not null
);

create table history_jobs (
  id text primary key,
  session_id text not null,
  platform_id text not null,
  chat_jid text not null,
  state text not null,
  wanted bigint not null,
  found bigint not null,
  has_more smallint,
  created_at bigint not null,
  updated_at bigint not null,
  ends_at bigint not null
);
create index history_jobs_created on history_jobs (created_at);
create index history_jobs_request on history_jobs (session_id, platform_id);

create table holders (
  id text primary key,
  node_id text not null,
  pool text not null,
  leases bigint not null,
  room bigint not null,
  beat bigint not null,
  lasts_until bigint not null,
  lease_ms bigint
);

create table inbox (
  session_id text not null,
  key text not null,
  seq bigint not null,
  kind text not null,
  chat text not null,
  received_at bigint not null,
  sealed bytea,
  begun_by text,
  done_at bigint,
  reason text,
  primary key (session_id, key)
);
create index inbox_done on inbox (session_id, done_at) where done_at is not null;
create index inbox_poison on inbox (session_id, done_at) where reason = 'poison';
create index inbox_poison_kept on inbox (session_id, done_at, seq) where reason = 'poison' and sealed is not null;
create index inbox_waiting on inbox (session_id, seq) where done_at is null;

create table labels (
  session_id text not null,
  id text not null,
  sealed bytea not null,
  primary key (session_id, id)
);

create table leases (
  kind text not null,
  id text not null,
  owner text,
  epoch bigint not null,
  pool text,
  changed_at bigint not null,
  primary key (kind, id),
  unique (kind, id, epoch)
);
create index leases_free on leases (pool, changed_at) where owner is null and pool is not null;
create index leases_owner on leases (owner) where owner is not null;

create table listened_events (
  stream_id text not null,
  seq bigint not null,
  total bigint not null,
  event_id text not null,
  session_id text not null,
  kind text not null,
  category text not null,
  dedupe_id text not null,
  bytes bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  sealed bytea not null,
  extras bytea,
  primary key (stream_id, seq)
);
create index listened_events_expires on listened_events (expires_at);
create index listened_events_total on listened_events (stream_id, total);

create table listeners (
  id text primary key,
  account_id text not null,
  acked bigint not null,
  heard_at bigint not null,
  expires_at bigint not null,
  kinds text
);
create index listeners_account on listeners (account_id);
create index listeners_expires on listeners (expires_at);

create table media (
  id text primary key,
  account_id text not null,
  session_id text,
  state text not null,
  place text not null,
  mime_type text not null,
  bytes bigint not null,
  sealed bytea not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index media_expires on media (expires_at);

create table media_pieces (
  media_id text not null,
  piece bigint not null,
  content bytea not null,
  primary key (media_id, piece)
);

create table media_usage (
  account_id text primary key,
  files bigint not null,
  bytes bigint not null
);

create table message_contents (
  message_id text primary key,
  sealed bytea not null,
  expires_at bigint not null
);
create index message_contents_expiry on message_contents (expires_at);

create table message_states (
  message_id text not null,
  state text not null,
  recipient text not null,
  at bigint not null,
  detail text,
  primary key (message_id, state, recipient)
);

create table messages (
  id text primary key,
  account_id text not null,
  session_id text not null,
  request_key text,
  fingerprint bytea,
  request_id text not null,
  recipient text not null,
  type text not null,
  state text not null,
  platform_id text not null,
  server_id bigint,
  reason text,
  detail text,
  send_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  edits bigint not null default 0,
  revokes bigint not null default 0,
  receipts bigint not null default 0,
  rare text generated,
  unique (account_id, request_key)
);
create index messages_account on messages (account_id, id);
create index messages_rare on messages (account_id, rare, id) where rare is not null;

create table moved_numbers (
  session_id text primary key,
  epoch bigint not null,
  exported_at bigint,
  importing text,
  importing_at bigint
);
create index moved_numbers_importing on moved_numbers (importing_at) where importing is not null;

create table nodes (
  id text primary key,
  roles text not null,
  address text not null,
  version text not null,
  listens text not null,
  clock_ahead_ms bigint not null,
  started_at bigint not null,
  seen_at bigint not null
);

create table open_streams (
  id text primary key,
  account_id text not null,
  node_id text not null
);
create index open_streams_account on open_streams (account_id);

create table pairings (
  id text primary key,
  account_id text not null references accounts(id),
  platform text not null,
  method text not null,
  phone text,
  label text not null,
  status text not null,
  step bytea,
  step_expires_at bigint,
  session_id text,
  error text,
  owner text,
  claimed_until bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null,
  proxy bytea,
  history_job text
);
create index pairings_account on pairings (account_id, id);
create index pairings_expiry on pairings (expires_at);

create table platform_versions (
  platform text not null,
  revision bigint not null,
  source text not null,
  learnt_at bigint not null,
  confirmed_at bigint,
  expires_at bigint,
  primary key (platform, revision)
);

create table portal_sessions (
  token_hash bytea primary key,
  user_id text not null references users(id),
  created_at bigint not null,
  expires_at bigint not null,
  last_seen_at bigint not null
);
create index portal_sessions_expiry on portal_sessions (expires_at);
create index portal_sessions_user on portal_sessions (user_id);

create table presence_subscriptions (
  session_id text not null,
  contact_jid text not null,
  created_at bigint not null,
  primary key (session_id, contact_jid)
);

create table refusals (
  session_id text not null,
  code bigint not null,
  day bigint not null,
  n bigint not null,
  last_at bigint not null,
  primary key (session_id, code, day)
);

create table replaced_letters (
  id text primary key,
  account_id text not null,
  event_id text not null,
  webhook_id text not null,
  session_id text not null,
  kind text not null,
  event_type text,
  category text not null,
  dedupe_id text not null,
  origin text not null,
  reason text not null,
  attempts text not null,
  created_at bigint not null,
  updated_at bigint not null,
  redacted text not null,
  replaced_by text not null,
  replayed_as text
);
create index replaced_letters_account on replaced_letters (account_id, id);
create index replaced_letters_event on replaced_letters (event_id);

create table replays (
  id text primary key,
  account_id text not null,
  webhook_id text not null,
  shard bigint not null,
  filter text not null,
  since bigint not null,
  until bigint not null,
  state text not null,
  total bigint not null,
  done bigint not null,
  delivered bigint not null,
  failed bigint not null,
  after_id text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index replays_account on replays (account_id);
create index replays_state on replays (state, shard);
create index replays_webhook on replays (webhook_id);

create table request_meters (
  id text primary key,
  tokens double precision not null,
  tokens_at bigint not null
);

create table requests (
  id text primary key,
  session_id text,
  pairing_id text,
  kind text not null,
  sealed bytea not null,
  reply_to text,
  created_at bigint not null,
  expires_at bigint not null
);
create index requests_expiry on requests (expires_at);
create index requests_pairing on requests (pairing_id, id);
create index requests_sandbox on requests (id) where session_id is null and pairing_id is null;
create index requests_session on requests (session_id, id);

create table sandbox_payloads (
  event_id text primary key,
  session_id text not null,
  sealed bytea not null,
  expires_at bigint not null
);
create index sandbox_payloads_expires on sandbox_payloads (expires_at);
create index sandbox_payloads_session on sandbox_payloads (session_id);

create table schema_migrations (
  version bigint primary key,
  name text not null,
  checksum text not null,
  oldest_reader bigint,
  applied_at bigint not null
);

create table seen_messages (
  session_id text not null,
  message_id text not null,
  chat_jid text not null,
  sender_jid text not null,
  from_me bigint not null,
  secret bytea,
  expires_at bigint not null,
  primary key (session_id, message_id, chat_jid)
);
create index seen_messages_chat on seen_messages (session_id, chat_jid, from_me, expires_at);
create index seen_messages_expiry on seen_messages (session_id, from_me, expires_at);

create table sent_messages (
  session_id text not null,
  platform_id text not null,
  sealed bytea not null,
  expires_at bigint not null,
  primary key (session_id, platform_id)
);
create index sent_messages_expiry on sent_messages (expires_at);

create table sessions (
  id text primary key,
  account_id text not null references accounts(id),
  phone text not null,
  device bigint not null,
  label text not null,
  platform text not null,
  state text not null,
  auto_reject bigint not null,
  auto_reject_message bytea,
  pace text,
  paced_until bigint,
  addressing text not null default 'auto',
  restricted_until bigint,
  link_reason text,
  link_until bigint,
  created_at bigint not null,
  connected_at bigint,
  last_event_at bigint,
  down_since bigint,
  last_connection_event text,
  told_event_id text,
  appear text not null default 'auto',
  paused smallint not null default 0,
  proxy bytea,
  restriction_type text,
  restricted_at bigint,
  new_chat_cap text,
  ban text,
  chats_since bigint,
  chats_synced_at bigint
);
create index sessions_account on sessions (account_id, id);
create index sessions_logged_out on sessions (id) where state = 'logged_out';

create table settings (
  name text primary key,
  value text not null
);

create table sign_in_links (
  token_hash bytea primary key,
  user_id text not null references users(id),
  created_at bigint not null,
  expires_at bigint not null,
  sealed bytea
);
create index sign_in_links_expiry on sign_in_links (expires_at);
create index sign_in_links_user on sign_in_links (user_id);

create table simulator_address (
  name text primary key,
  url text not null,
  root_key bytea not null,
  media_ca text not null,
  media_host text not null,
  updated_at bigint not null
);

create table simulator_entries (
  key text primary key,
  sealed bytea not null
);

create table streams (
  id text primary key,
  seq bigint not null,
  total bigint not null,
  acked bigint not null default 0,
  listened_until bigint,
  secret bytea
);

create table traces (
  id text primary key,
  traceparent text not null,
  expires_at bigint not null
);
create index traces_expiry on traces (expires_at);

create table unfinished_messages (
  session_id text not null,
  key text not null,
  tries bigint not null,
  tried_at bigint not null,
  primary key (session_id, key)
);
create index unfinished_messages_age on unfinished_messages (tried_at);

create table upload_parts (
  upload_id text not null,
  part text not null,
  sealed bytea not null,
  primary key (upload_id, part)
);

create table uploads (
  id text primary key,
  account_id text not null,
  mime_type text not null,
  bytes bigint not null,
  parts bigint not null,
  expires_at bigint not null
);
create index uploads_account on uploads (account_id, expires_at, bytes);
create index uploads_expires on uploads (expires_at);

create table usage_days (
  account_id text not null,
  day text not null,
  metric text not null,
  n bigint not null,
  primary key (account_id, day, metric)
);

create table usage_deltas (
  account_id text not null,
  day text not null,
  hour bigint not null,
  metric text not null,
  n bigint not null
);
create index usage_deltas_account on usage_deltas (account_id, day);

create table usage_hours (
  account_id text not null,
  hour bigint not null,
  metric text not null,
  n bigint not null,
  primary key (account_id, hour, metric)
);
create index usage_hours_hour on usage_hours (hour);

create table users (
  id text primary key,
  account_id text not null references accounts(id),
  email text not null unique,
  password_hash text,
  is_operator bigint not null,
  created_at bigint not null
);
create index users_account on users (account_id);
create index users_operator on users (created_at, id) where is_operator = 1;

create table webhooks (
  id text primary key,
  account_id text not null references accounts(id),
  session_id text not null,
  phone text not null,
  messages_url text not null,
  status_url text not null,
  connection_url text not null,
  events_url text not null,
  secret bytea not null,
  old_secret bytea,
  old_secret_until bigint,
  active bigint not null,
  watched_until bigint not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  unique (account_id, session_id)
);
create index webhooks_session on webhooks (session_id);
