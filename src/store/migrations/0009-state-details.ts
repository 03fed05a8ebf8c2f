import type { Migration } from '../migrate.ts'

/** Why a step of a message's history did not succeed. */
export const stateDetails: Migration = {
  version: 9,
  name: 'state details',
  statements: ['alter table message_states add column detail text'],
}
