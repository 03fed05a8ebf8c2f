import type { Migration } from '../migrate.ts'

/** Usage by the hour for the portal's charts, changes for its live view, and what the sandbox is asked to do. */
export const portal: Migration = {
  version: 4,
  name: 'portal',
  statements: [
    'alter table usage_deltas add column hour bigint not null default 0',
    `create table usage_hours (
      account_id text not null, hour bigint not null, metric text not null, n bigint not null,
      primary key (account_id, hour, metric))`,
    'create index usage_hours_hour on usage_hours (hour)',

    'create index dead_letters_changed on dead_letters (account_id, updated_at)',

    `create table simulator_requests (
      id text primary key, sealed bytea not null, created_at bigint not null, expires_at bigint not null)`,
  ],
}
