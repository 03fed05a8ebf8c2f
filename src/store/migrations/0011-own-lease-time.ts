import type { Migration } from '../migration.ts'

/** An owner of leases says how long they last after its heartbeat. */
export const ownLeaseTime: Migration = {
  version: 11,
  name: 'own-lease-time',
  statements: ['alter table holders add column lease_ms bigint'],
  oldestReader: 5,
}
