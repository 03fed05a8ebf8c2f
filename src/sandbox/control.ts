import { Unsaved } from '#simulator/journal'
import { Refused } from '#simulator/refused'
import type { Context } from '../context.ts'
import type { Lease } from '../domain/lease.ts'
import type { Answer } from '../domain/request.ts'
import type { SandboxRequest } from '../domain/sandbox.ts'
import { aboutAnswer, aboutRequest } from '../domain/sealed.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'
import type { WaitingRequest } from '../store/requests/requests.ts'
import { perform } from './perform.ts'
import type { Sandbox } from './sandbox.ts'

const POLL_MS = 1_000
const BATCH = 64

type ControlDeps = Pick<Context, 'seal' | 'log' | 'clock'> & { store: Pick<Store, 'requests' | 'signals'> }

/** Performs the requests of customers to the sandbox, which come through the store. */
export class Control {
  readonly #deps: ControlDeps
  readonly #lease: Lease
  readonly #sandbox: Sandbox
  readonly #taking: RepeatingTask
  readonly #running = new Set<Promise<void>>()

  constructor(deps: ControlDeps, lease: Lease, sandbox: Sandbox) {
    this.#deps = deps
    this.#lease = lease
    this.#sandbox = sandbox
    this.#taking = new RepeatingTask(deps, 'sandbox.take', () => this.#take())
  }

  /** Runs until the signal aborts, and completes the requests that it began. */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#deps.store.signals.on('sandbox_requests', () => this.#taking.runSoon())
    await this.#taking.run(signal)
    unsubscribe()
    await Promise.all(this.#running)
  }

  async #take(): Promise<number> {
    const { requests, signals } = this.#deps.store
    if (!(await requests.hasSandboxRequests())) return signals.pollDelayMs(POLL_MS)
    const taken = await requests.takeSandboxRequests({ lease: this.#lease, limit: BATCH })
    for (const request of taken) {
      const done = this.#answer(request).finally(() => this.#running.delete(done))
      this.#running.add(done)
    }
    return taken.length === BATCH ? 0 : signals.pollDelayMs(POLL_MS)
  }

  async #answer({ id, sealed, replyTo }: WaitingRequest): Promise<void> {
    const { store, seal, log } = this.#deps
    try {
      const request = seal.openJson<SandboxRequest>(sealed, aboutRequest(id))
      const answer = await perform(this.#sandbox, request).catch((error: unknown) => this.#failed(request, error))
      await store.requests.answerRequest({ id, replyTo, sealed: seal.sealJson(answer, aboutAnswer(id)) })
    } catch (error) {
      log.error({ err: error }, 'sandbox.response_failed')
    }
  }

  #failed({ kind }: SandboxRequest, error: unknown): Answer<never> {
    const detail = (error as Error).message
    if (error instanceof Refused) return { ok: false, failure: { kind: 'permanent', reason: 'SEND_FAILED', detail } }
    if (error instanceof Unsaved) return { ok: false, failure: { kind: 'link_down', detail } }
    this.#deps.log.error({ err: error, kind }, 'sandbox.request_failed')
    return { ok: false, failure: { kind: 'transient', detail } }
  }
}
