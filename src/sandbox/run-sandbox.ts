import { type Simulator, startSimulator } from '#simulator'
import type { SimulatorOptions } from '#simulator/options'
import type { Context } from '../context.ts'
import { BOUNDS } from '../domain/bounds.ts'
import type { Lease } from '../domain/lease.ts'
import type { Endpoint } from '../net/own-endpoints.ts'
import type { Store } from '../store/store.ts'
import { Control } from './control.ts'
import { type LeaseDeps, SandboxLease } from './lease.ts'
import { Sandbox } from './sandbox.ts'
import { StoreStorage } from './store-storage.ts'

export interface SandboxDeps extends LeaseDeps, Pick<Context, 'seal' | 'log'> {
  store: Pick<Store, 'leases' | 'requests' | 'signals' | 'simulator'>
  /** Where workers reach it. */
  host: string
}

/**
 * Runs the sandbox network in the process that has its lease. It starts at its last address with all its data, so that
 * linked devices find it again. Runs until the signal aborts; throws if it cannot continue.
 */
export async function runSandbox(
  deps: SandboxDeps,
  signal: AbortSignal,
  onReady: (endpoints: Endpoint[]) => void,
): Promise<void> {
  const { store } = deps
  const sandboxLease = new SandboxLease(deps)
  const lease = await sandboxLease.take(signal)
  if (lease === undefined) return
  const simulator = await openSimulator(deps, lease)
  const lost = new AbortController()
  const either = AbortSignal.any([signal, lost.signal])
  let controlling: Promise<void> | undefined
  try {
    const { url, rootKey, mediaCa, mediaHost } = simulator
    await store.simulator.publishSimulator({ lease, address: { url, rootKey, mediaCa, mediaHost } })
    onReady(simulator.endpoints)
    controlling = new Control(deps, lease, new Sandbox(simulator)).run(either)
    await Promise.all([sandboxLease.keep(either).finally(() => lost.abort()), controlling])
  } finally {
    lost.abort()
    await simulator.close()
    // Requests whose changes were not saved are answered with an error.
    await controlling?.catch(() => {})
    await sandboxLease.leave().catch(() => {})
  }
}

/** Starts it on its last ports if they are free: devices know no other address. */
async function openSimulator(deps: SandboxDeps, lease: Lease): Promise<Simulator> {
  const options = optionsOf(deps, lease)
  const before = await deps.store.simulator.readSimulatorAddress()
  if (before === undefined) return await startSimulator(options)
  const port = Number(new URL(before.url).port)
  const mediaPort = Number(new URL(`https://${before.mediaHost}`).port)
  try {
    return await startSimulator({ ...options, port, mediaPort })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return await startSimulator(options)
  }
}

function optionsOf(deps: SandboxDeps, lease: Lease): SimulatorOptions {
  const { log, host, clock } = deps
  return {
    storage: new StoreStorage(deps, lease),
    logger: {
      debug: () => {},
      warn: (fields, text) => log.warn({ ...fields, text }, 'simulator.warned'),
    },
    host,
    clock,
    heldBytes: BOUNDS.sandboxMessageBytes,
    maxContacts: BOUNDS.sandboxContacts,
  }
}
