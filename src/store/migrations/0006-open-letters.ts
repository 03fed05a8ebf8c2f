import type { Migration } from '../migrate.ts'

/** How many dead letters wait to be looked at is counted without reading them. */
export const openLetters: Migration = {
  version: 6,
  name: 'open letters',
  statements: ['create index dead_letters_open on dead_letters (account_id) where redelivered_at is null'],
}
