import type { Context } from '../context.ts'
import { type Lease, SIMULATOR_LEASE } from '../domain/lease.ts'
import type { Store } from '../store/store.ts'

type Parts = Pick<Context, 'clock' | 'nodeId'> & { store: Pick<Store, 'leases'>; leaseTtlMs: number }

const STANDBY_MS = 250

/** Waits until no other node runs the sandbox network. */
export async function takeLease(parts: Parts, signal: AbortSignal): Promise<Lease | undefined> {
  const { store, clock, nodeId: owner, leaseTtlMs: ttlMs } = parts
  await store.leases.addLeases([SIMULATOR_LEASE])
  while (!signal.aborted) {
    const lease = await store.leases.takeLease({ owner, name: SIMULATOR_LEASE, ttlMs })
    if (lease !== undefined) return lease
    await clock.sleep(STANDBY_MS, signal)
  }
  return undefined
}

/** Renews the lease until told to stop. Throws when it is another's, or may be by now. */
export async function keepLease(parts: Parts, lease: Lease, signal: AbortSignal): Promise<void> {
  const { store, clock, nodeId: owner, leaseTtlMs: ttlMs } = parts
  let heldUntilMs = clock.monotonicMs() + ttlMs
  while (!signal.aborted) {
    await clock.sleep(ttlMs / 3, signal)
    const askedMs = clock.monotonicMs()
    const held = await store.leases.renewLeases({ owner, leases: [lease], ttlMs }).catch(() => undefined)
    if (held?.length === 0) throw new Error('another sandbox network has taken over')
    if (held !== undefined) heldUntilMs = askedMs + ttlMs
    else if (clock.monotonicMs() > heldUntilMs) throw new Error('the lease of the sandbox network could not be renewed')
  }
}
