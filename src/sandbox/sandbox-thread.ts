import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../runtime/clock.ts'
import { collectGarbage } from '../runtime/collect-garbage.ts'
import { makeLog } from '../observability/log.ts'
import { openAttached } from '../store/open-attached.ts'
import { Seal } from '../store/seal.ts'
import { DatabaseClock } from '../runtime/database-clock.ts'
import { runSandbox } from './run-sandbox.ts'
import type { ThreadStart } from './run-thread.ts'

/** The sandbox network in a separate thread, so that the encryption of its phones slows no request. */
const start = workerData as ThreadStart
const stopping = new AbortController()
/** By then the first number of a new gateway is linked. */
const SETTLED_MS = 15_000
parentPort!.on('message', () => stopping.abort())

async function main(): Promise<void> {
  const clock = new DatabaseClock(systemClock)
  const store = await openAttached(start.store, clock)
  const seal = new Seal(start.secretKeys.map(key => Buffer.from(key)))
  const { nodeId, leaseTtlMs, outageMs, host } = start
  const deps = {
    store,
    seal,
    nodeId,
    leaseTtlMs,
    outageMs,
    host,
    clock,
    log: makeLog(start.logLevel, start.logFormat),
  }
  setTimeout(collectGarbage, SETTLED_MS).unref()
  await runSandbox(deps, stopping.signal, endpoints => parentPort!.postMessage(endpoints))
  await store.close()
  parentPort!.close()
}

main().catch((error: unknown) => {
  if (stopping.signal.aborted) process.exit(0)
  setImmediate(() => {
    throw error
  })
})
