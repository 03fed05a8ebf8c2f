import { type Simulator, startSimulator } from '@postern/simulator'
import type { Context } from '../context.ts'
import { BOUNDS } from '../domain/bounds.ts'
import { type Lease, SIMULATOR_LEASE } from '../domain/lease.ts'
import type { Endpoint } from '../net/own-endpoints.ts'
import { runControl } from './control.ts'
import { Sandbox } from './sandbox.ts'
import { createStoreStorage } from './store-storage.ts'

export type SimulatorParts = Pick<Context, 'store' | 'seal' | 'clock' | 'log' | 'nodeId'> & {
  leaseTtlMs: number
  /** Where workers reach it. */
  host: string
}

const STANDBY_MS = 250

const ROOM = { heldBytes: BOUNDS.sandboxMessageBytes, maxContacts: BOUNDS.sandboxContacts }

/**
 * The sandbox network, on whichever node holds its lease: it comes back at the same address with everything it knew,
 * so that linked devices find it again. Runs until told to stop; throws where it cannot go on.
 */
export async function runSimulator(
  parts: SimulatorParts,
  signal: AbortSignal,
  onReady: (endpoints: Endpoint[]) => void,
): Promise<void> {
  const { store, nodeId: owner } = parts
  const lease = await takeLease(parts, signal)
  if (lease === undefined) return
  const simulator = await openSimulator(parts, lease)
  const lost = new AbortController()
  const either = AbortSignal.any([signal, lost.signal])
  try {
    const { url, rootKey, mediaCa, mediaHost } = simulator
    await store.sandbox.publishSimulator({ lease, address: { url, rootKey, mediaCa, mediaHost } })
    onReady(simulator.endpoints)
    await Promise.all([
      keepLease(parts, lease, either).finally(() => lost.abort()),
      runControl(parts, new Sandbox(simulator), either),
    ])
  } finally {
    await simulator.close()
    await store.leases.releaseLeases({ owner, leases: [lease] }).catch(() => {})
  }
}

async function takeLease(parts: SimulatorParts, signal: AbortSignal): Promise<Lease | undefined> {
  const { store, clock, nodeId: owner, leaseTtlMs: ttlMs } = parts
  await store.leases.addLeases([SIMULATOR_LEASE])
  while (!signal.aborted) {
    const lease = await store.leases.takeLease({ owner, name: SIMULATOR_LEASE, ttlMs })
    if (lease !== undefined) return lease
    await clock.sleep(STANDBY_MS, signal)
  }
  return undefined
}

/** Where it was before, if those ports are free; devices remember no other. */
async function openSimulator(parts: SimulatorParts, lease: Lease): Promise<Simulator> {
  const { store, log, host } = parts
  const storage = createStoreStorage(parts, lease)
  const logger = {
    debug: () => {},
    warn: (fields: Record<string, unknown>, text: string) => log.warn({ ...fields, says: text }, 'simulator.warned'),
  }
  const before = await store.sandbox.readSimulatorAddress()
  if (before !== undefined) {
    const port = Number(new URL(before.url).port)
    const mediaPort = Number(new URL(`https://${before.mediaHost}`).port)
    try {
      return await startSimulator({ storage, logger, host, port, mediaPort, ...ROOM })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
  return await startSimulator({ storage, logger, host, ...ROOM })
}

async function keepLease(parts: SimulatorParts, lease: Lease, signal: AbortSignal): Promise<void> {
  const { store, clock, nodeId: owner, leaseTtlMs: ttlMs } = parts
  let heldUntilMs = performance.now() + ttlMs
  while (!signal.aborted) {
    await clock.sleep(ttlMs / 3, signal)
    const askedMs = performance.now()
    const held = await store.leases.renewLeases({ owner, leases: [lease], ttlMs }).catch(() => undefined)
    if (held?.length === 0) throw new Error('another sandbox network has taken over')
    if (held !== undefined) heldUntilMs = askedMs + ttlMs
    else if (performance.now() > heldUntilMs) throw new Error('the lease of the sandbox network could not be renewed')
  }
}
