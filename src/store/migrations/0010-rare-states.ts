import type { Migration } from '../migrate.ts'

/** Messages in states that few are in are found without reading the others; one on its way to its reader pays nothing. */
export const rareStates: Migration = {
  version: 10,
  name: 'rare states',
  statements: [
    "create index messages_rare on messages (account_id, state, id) where state in ('cancelled', 'failed', 'played', 'scheduled')",
  ],
}
