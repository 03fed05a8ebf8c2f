import type { Context } from '../context.ts'
import type { Endpoint } from '../net/own-endpoints.ts'
import type { Role } from '../role.ts'
import { PolledSignal } from '../store/polled-signal.ts'
import { runThread } from './run-thread.ts'

const RESTART_MS = 500
const POLL_MS = 1_000

/**
 * The simulator role: the sandbox network, or a standby for it if another process runs it. Its thread starts with the
 * first sandbox number.
 */
class SimulatorRole implements Role {
  readonly name = 'simulator'
  readonly #context: Context
  #ready = false

  constructor(context: Context) {
    this.#context = context
  }

  isReady(): boolean {
    return this.#ready
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#context
    while (!signal.aborted) {
      // Without a database no network is wanted: a thread that failed without it waits here.
      await this.#untilWanted(signal)
      if (signal.aborted) return
      await this.#runThread(signal).catch((error: unknown) => {
        this.#ready = false
        log.error({ err: error }, 'simulator.failed')
      })
      await clock.sleep(RESTART_MS, signal)
    }
  }

  /** Resolves when there is a sandbox number or a pairing for one, or at the end. */
  async #untilWanted(signal: AbortSignal): Promise<void> {
    const wakeSignal = new PolledSignal(this.#context, ['pairings'])
    while (!signal.aborted) {
      const wanted = await this.#context.store.hosting.readWanted(['sandbox']).catch(() => [])
      this.#ready = true
      if (wanted.length > 0) break
      await wakeSignal.sleep(POLL_MS, signal)
    }
    wakeSignal.stop()
  }

  async #runThread(signal: AbortSignal): Promise<void> {
    const { endpoints } = this.#context
    try {
      await runThread(this.#context, signal, listening => this.#listens(listening))
    } finally {
      endpoints.set('simulator', [])
    }
  }

  #listens(listening: readonly Endpoint[]): void {
    const { endpoints, log, nodeId } = this.#context
    endpoints.set('simulator', listening)
    this.#ready = true
    log.info({ node: nodeId }, 'simulator.ready')
  }
}

export const createSimulatorRole = (context: Context): Role => new SimulatorRole(context)
