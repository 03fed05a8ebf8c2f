import { type Lease, type Pool, type SessionLease, sessionLease, SIMULATOR_LEASE } from '../../src/domain/lease.ts'
import type { Store } from '../../src/store/store.ts'

/** Takes the lease of a number's session if it is free; for `ttlMs` the session counts as hosted. */
export async function takeSession(
  store: Pick<Store, 'leases'>,
  sessionId: string,
  { owner = 'test', ttlMs = 60_000 } = {},
): Promise<SessionLease | undefined> {
  await beatFor(store, owner, ttlMs)
  return (await store.leases.takeLease({ owner, name: sessionLease(sessionId) })) as SessionLease | undefined
}

/** Takes the lease of the sandbox network before a process runs it. */
export async function takeSandbox(store: Pick<Store, 'leases'>, ttlMs = 60_000): Promise<Lease> {
  await store.leases.addLeases({ names: [SIMULATOR_LEASE], pool: 'simulator' })
  await beatFor(store, 'test', ttlMs)
  return (await store.leases.takeLease({ owner: 'test', name: SIMULATOR_LEASE }))!
}

/** Registers in a separate pool, where no host can see that its heartbeat does not change. */
export async function beatFor(store: Pick<Store, 'leases'>, id: string, lastsMs: number): Promise<void> {
  await store.leases.recordHeartbeat({ id, nodeId: id, pool: 'test' as Pool, room: 1, lastsMs })
}
