import type { Migration } from '../migration.ts'

/** Usage by the hour for the portal's charts, and changes for its live view. */
export const portal: Migration = {
  version: 4,
  name: 'portal',
  statements: [
    `create table usage_hours (
      account_id text not null, hour bigint not null, metric text not null, n bigint not null,
      primary key (account_id, hour, metric))`,
    'create index usage_hours_hour on usage_hours (hour)',

    // Many requests in one row: a row for each would cost more than most requests.
    `create table api_log (
      id text primary key, account_id text not null, from_at bigint not null, until_at bigint not null,
      n bigint not null, requests text not null)`,
    'create index api_log_account on api_log (account_id, id, n, from_at, until_at)',
    'create index api_log_until on api_log (until_at)',

    'create index dead_letters_changed on dead_letters (account_id, updated_at)',
  ],
}
