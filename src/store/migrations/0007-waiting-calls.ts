import type { Migration } from '../migrate.ts'

/** Calls, which somebody waits for, are found without passing the messages that wait. */
export const waitingCalls: Migration = {
  version: 7,
  name: 'waiting calls',
  statements: ['create index commands_calls on commands (session_id) where expires_at is not null'],
}
