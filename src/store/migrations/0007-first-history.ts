import type { Migration } from '../migration.ts'

/** The first history of a number, if the request that linked it asked for it. */
export const firstHistory: Migration = {
  version: 7,
  name: 'first_history',
  statements: [
    // The job that the number gets once it is linked. Such a job has an empty `chat_jid`.
    'alter table pairings add column history_job text',
  ],
  oldestReader: 5,
}
