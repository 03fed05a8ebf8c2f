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

    'create index dead_letters_changed on dead_letters (account_id, updated_at)',
  ],
}
