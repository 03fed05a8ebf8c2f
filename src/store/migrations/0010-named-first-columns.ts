import type { Migration } from '../migration.ts'

/**
 * A queue that was empty when PostgreSQL counted it looks empty to it while it fills. To read another index through then
 * seems as cheap to it as to find ids by their own. So these indexes are only for queries that name their first column.
 */
export const namedFirstColumns: Migration = {
  version: 10,
  name: 'named-first-columns',
  statements: [],
  concurrently: [
    'create index if not exists deliveries_shard_lane on deliveries (shard, lane, due_at, id) where shard is not null',
    'drop index if exists deliveries_lane',
    'create index if not exists deliveries_account_id on deliveries (account_id, id) where account_id is not null',
    'drop index if exists deliveries_account',
  ],
  oldestReader: 5,
}
