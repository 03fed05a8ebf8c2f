import type { Migration } from '../migrate.ts'

/** The sweep asks for each account's old replays. */
export const replaysOfAccount: Migration = {
  version: 11,
  name: 'replays of account',
  statements: ['create index replays_account on replays (account_id)'],
}
