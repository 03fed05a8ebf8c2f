import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import type { PlatformName } from '../domain/session.ts'
import type { Endpoint } from '../net/own-endpoints.ts'
import type { Role } from '../role.ts'
import { compiledThread } from '../thread.ts'
import type { SimulatorStart } from './sandbox-thread.ts'

const RESTART_MS = 500
const LOOK_MS = 1_000

/**
 * The simulator role: the sandbox network, or a stand-by for it where another node runs it. Its thread, with the
 * engine's code, is started when the first sandbox number is asked for.
 */
export function createSimulatorRole(context: Context): Role {
  const { config, log, clock, nodeId, store, endpoints } = context
  let ready = false

  async function runThread(signal: AbortSignal): Promise<void> {
    const handle = store.attach()
    const start: SimulatorStart = {
      store: handle,
      secretKeys: config.secretKeys,
      nodeId,
      leaseTtlMs: config.leaseTtlMs,
      host: config.sandboxHost,
      logLevel: config.logLevel,
    }
    const thread = new Worker(compiledThread('sandbox/sandbox-thread'), {
      workerData: start,
      transferList: handle.kind === 'sqlite' ? [handle.port] : [],
      stdout: true,
      stderr: true,
    })
    thread.stdout.resume()
    thread.stderr.resume()
    const stop = (): void => thread.postMessage('stop')
    signal.addEventListener('abort', stop, { once: true })
    thread.on('message', (listening: Endpoint[]) => {
      endpoints.set('simulator', listening)
      ready = true
      log.info({ node: nodeId }, 'simulator.ready')
    })
    try {
      await new Promise<void>((resolve, reject) => {
        thread.once('error', reject)
        thread.once('exit', () => (signal.aborted ? resolve() : reject(new Error('the thread ended'))))
      })
    } finally {
      signal.removeEventListener('abort', stop)
      endpoints.set('simulator', [])
    }
  }

  /** Resolves when there is a sandbox number or somebody pairs one, or at the end. */
  async function untilWanted(signal: AbortSignal): Promise<void> {
    let wake = () => {}
    const listening = store.signals.on('pairings', () => wake())
    while (!signal.aborted) {
      const woken = new Promise<void>(resolve => {
        wake = resolve
      })
      const wanted: PlatformName[] = await store.hosting.readWantedPlatforms().catch(() => [])
      ready = true
      if (wanted.includes('sandbox')) break
      await Promise.race([woken, clock.sleep(LOOK_MS, signal)])
    }
    listening()
  }

  return {
    name: 'simulator',
    isReady: () => ready,
    run: async signal => {
      while (!signal.aborted) {
        // Also without a database nothing is wanted: a thread that broke for lack of it waits here.
        await untilWanted(signal)
        if (signal.aborted) return
        await runThread(signal).catch((error: unknown) => {
          ready = false
          log.error({ err: error }, 'simulator.broke')
        })
        await clock.sleep(RESTART_MS, signal)
      }
    },
  }
}
