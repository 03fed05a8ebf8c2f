import { type Lease, type SessionLease, sessionLease, SIMULATOR_LEASE } from '../../src/domain/lease.ts'
import type { Store } from '../../src/store/store.ts'

/** Holds a number's session, where nobody else does. */
export async function takeSession(
  store: Pick<Store, 'leases'>,
  sessionId: string,
  { owner = 'test', ttlMs = 60_000 } = {},
): Promise<SessionLease | undefined> {
  return (await store.leases.takeLease({ owner, name: sessionLease(sessionId), ttlMs })) as SessionLease | undefined
}

/** Holds the sandbox network before there is one. */
export async function takeSandbox(store: Pick<Store, 'leases'>, ttlMs = 60_000): Promise<Lease> {
  await store.leases.addLeases([SIMULATOR_LEASE])
  return (await store.leases.takeLease({ owner: 'test', name: SIMULATOR_LEASE, ttlMs }))!
}
