import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import type { LogFormat } from '../observability/log.ts'
import type { Endpoint } from '../net/own-endpoints.ts'
import type { Store, StoreHandle } from '../store/store.ts'
import { bundledThread } from '../runtime/package-folder.ts'

/** The data that the thread of the sandbox network starts with. */
export interface ThreadStart {
  store: StoreHandle
  secretKeys: Uint8Array[]
  nodeId: string
  leaseTtlMs: number
  outageMs: number
  host: string
  logLevel: string
  logFormat: LogFormat
}

/** Half of the default, as for hosts. */
const YOUNG_MB = 24

/** Runs the sandbox network in a separate thread until the signal aborts; rejects if the thread ends before. */
export async function runThread(
  { config, nodeId, store }: Pick<Context, 'config' | 'nodeId'> & { store: Pick<Store, 'attach'> },
  signal: AbortSignal,
  onListening: (endpoints: Endpoint[]) => void,
): Promise<void> {
  const handle = store.attach()
  const { secretKeys, leaseTtlMs, outageMs, sandboxHost: host, logLevel, logFormat } = config
  const start: ThreadStart = { store: handle, secretKeys, nodeId, leaseTtlMs, outageMs, host, logLevel, logFormat }
  const thread = new Worker(bundledThread('sandbox-thread'), {
    workerData: start,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    transferList: [handle.port],
    stdout: true,
    stderr: true,
  })
  thread.stdout.resume()
  thread.stderr.resume()
  thread.on('message', onListening)
  const stop = (): void => thread.postMessage('stop')
  signal.addEventListener('abort', stop, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      thread.once('error', reject)
      thread.once('exit', () => (signal.aborted ? resolve() : reject(new Error('the thread ended'))))
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
