import { type Lease, type Pool, type SessionLease, sessionLease, SIMULATOR_LEASE } from '../../src/domain/lease.ts'
import type { Store } from '../../src/store/store.ts'

/** Holds a number's session, where nobody else does; for `ttlMs` it counts as hosted. */
export async function takeSession(
  store: Pick<Store, 'leases'>,
  sessionId: string,
  { owner = 'test', ttlMs = 60_000 } = {},
): Promise<SessionLease | undefined> {
  await beatFor(store, owner, ttlMs)
  return (await store.leases.takeLease({ owner, name: sessionLease(sessionId) })) as SessionLease | undefined
}

/** Holds the sandbox network before there is one. */
export async function takeSandbox(store: Pick<Store, 'leases'>, ttlMs = 60_000): Promise<Lease> {
  await store.leases.addLeases({ names: [SIMULATOR_LEASE], pool: 'simulator' })
  await beatFor(store, 'test', ttlMs)
  return (await store.leases.takeLease({ owner: 'test', name: SIMULATOR_LEASE }))!
}

/** Lives in a pool of its own, where no host can see that its beat does not move. */
export async function beatFor(store: Pick<Store, 'leases'>, id: string, lastsMs: number): Promise<void> {
  await store.leases.recordHeartbeat({ id, nodeId: id, pool: 'test' as Pool, room: 1, lastsMs })
}
