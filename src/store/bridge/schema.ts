/**
 * What a bridge between a gateway and an inbox of another program remembers: in a file of its own, beside no other
 * process. `jobs` is its queue, the rest says what is whose on the other side.
 */
export const BRIDGE_SCHEMA = `
create table if not exists facts (name text primary key, value text not null) strict;
create table if not exists jobs (
  id integer primary key autoincrement,
  kind text not null,
  name text not null unique,
  lane text not null,
  begun_at integer,
  begun_in integer,
  begun_after integer,
  created_at integer not null,
  done_at integer,
  sealed blob
) strict;
create index if not exists jobs_open on jobs (lane, id) where done_at is null;
create index if not exists jobs_done on jobs (done_at) where done_at is not null;
create index if not exists jobs_given_up on jobs (id) where done_at is not null and sealed is not null;
create table if not exists chats (
  chat_jid text primary key, contact_id integer not null, conversation_id integer not null
) strict;
create table if not exists conversations (id integer primary key, chat_jid text not null, last_id integer not null) strict;
create table if not exists links (
  chat_jid text not null, platform_id text not null, inbox_id integer not null, created_at integer not null,
  primary key (chat_jid, platform_id)
) strict, without rowid;
create index if not exists links_inbox on links (inbox_id);
create index if not exists links_age on links (created_at);
create table if not exists outgoing (
  id integer not null, mark text not null, part integer not null, conversation_id integer not null,
  rank integer not null default 0, told integer not null default 0, token text unique, sealed blob, created_at integer not null,
  primary key (id, part)
) strict;
create index if not exists outgoing_age on outgoing (created_at);
`
