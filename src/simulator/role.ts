import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import type { Role } from '../role.ts'
import { compiledThread } from '../thread.ts'
import type { SimulatorStart } from './simulator-thread.ts'

const RESTART_MS = 500

/** The simulator role: the sandbox network, or a stand-by for it where another node runs it. */
export function createSimulatorRole(context: Context): Role {
  const { config, log, clock, nodeId } = context
  let running = false

  async function runThread(signal: AbortSignal): Promise<void> {
    const store = context.store.attach()
    const start: SimulatorStart = {
      store,
      secretKeys: config.secretKeys,
      nodeId,
      leaseTtlMs: config.leaseTtlMs,
      logLevel: config.logLevel,
    }
    const thread = new Worker(compiledThread('simulator/simulator-thread'), {
      workerData: start,
      transferList: store.kind === 'sqlite' ? [store.port] : [],
      stdout: true,
      stderr: true,
    })
    thread.stdout.resume()
    thread.stderr.resume()
    const stop = (): void => thread.postMessage('stop')
    signal.addEventListener('abort', stop, { once: true })
    thread.on('message', () => log.info({ node: nodeId }, 'simulator.ready'))
    running = true
    try {
      await new Promise<void>((resolve, reject) => {
        thread.once('error', reject)
        thread.once('exit', () => (signal.aborted ? resolve() : reject(new Error('the thread ended'))))
      })
    } finally {
      running = false
      signal.removeEventListener('abort', stop)
    }
  }

  return {
    name: 'simulator',
    isReady: () => running,
    run: async signal => {
      while (!signal.aborted) {
        await runThread(signal).catch((error: unknown) => log.error({ err: error }, 'simulator.broke'))
        await clock.sleep(RESTART_MS, signal)
      }
    },
  }
}
