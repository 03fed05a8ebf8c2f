import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../clock.ts'
import { makeLog } from '../log.ts'
import { openAttached } from '../store/open-attached.ts'
import { Seal } from '../store/seal.ts'
import type { StoreHandle } from '../store/store.ts'
import { runSimulator } from './run-sandbox.ts'

export interface SimulatorStart {
  store: StoreHandle
  secretKeys: Uint8Array[]
  nodeId: string
  leaseTtlMs: number
  host: string
  logLevel: string
}

/** The sandbox network in a thread of its own: its phones' arithmetic slows nobody's requests. */
const start = workerData as SimulatorStart
const stopping = new AbortController()
parentPort!.on('message', () => stopping.abort())

async function main(): Promise<void> {
  const store = await openAttached(start.store)
  const seal = new Seal(start.secretKeys.map(key => Buffer.from(key)))
  const { nodeId, leaseTtlMs, host } = start
  const parts = { store, seal, nodeId, leaseTtlMs, host, clock: systemClock, log: makeLog(start.logLevel) }
  await runSimulator(parts, stopping.signal, endpoints => parentPort!.postMessage(endpoints))
  await store.close()
  parentPort!.close()
}

main().catch((error: unknown) => {
  if (stopping.signal.aborted) process.exit(0)
  setImmediate(() => {
    throw error
  })
})
