import { WakeSignal } from '../../runtime/wake-signal.ts'
import type { CommandKind } from '../../domain/command.ts'
import { ExpiringMap } from '../../runtime/expiring-map.ts'
import { aboutAnswer } from '../../domain/sealed.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingRequest } from '../../store/requests/requests.ts'
import { retryUntilReachable } from '../../store/retry-until-reachable.ts'
import { LeaseLost } from '../held-lease.ts'
import { TaskGroup } from '../task-group.ts'
import type { HostDeps } from '../deps.ts'
import { performRequest, type RequestDeps } from './perform-request.ts'

/** A burst of wake-ups is one read. */
const READ_PAUSE_MS = 10
const REMEMBERED = 1_024
const REMEMBERED_MS = 60_000

type RunnerDeps = RequestDeps & Pick<HostDeps, 'clock' | 'metrics'> & { store: Pick<Store, 'requests'> }

/** Runs the actions that API requests need a number for, all concurrently. A request whose client no longer waits is dropped. */
export class RequestRunner {
  readonly #deps: RunnerDeps
  readonly #tasks: TaskGroup
  readonly #wanted = new WakeSignal()
  readonly #runningIds = new Set<string>()
  /** A read that began before a request ended still returns it. */
  readonly #recentlyBegun: ExpiringMap<true>
  #isStopped = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#tasks = new TaskGroup(deps, deps.heldLease)
    this.#recentlyBegun = new ExpiringMap(REMEMBERED, { ms: REMEMBERED_MS, clock: deps.clock })
  }

  start(): void {
    void this.#run()
    this.wake()
  }

  /** A request may be waiting. */
  wake(): void {
    this.#wanted.notify()
  }

  /** Begins nothing more and waits up to `graceMs` for requests under way; the next host runs those that are left. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    this.#wanted.notify()
    await this.#tasks.finish(graceMs)
  }

  async #run(): Promise<void> {
    const { clock, log, heldLease } = this.#deps
    for (;;) {
      await this.#wanted.wait()
      if (this.#isStopped) return
      if (!heldLease.isValid()) continue
      await this.#beginAll().catch((error: unknown) => {
        log.warn({ session: heldLease.sessionId, err: error }, 'session_requests.read_failed')
      })
      await clock.sleep(READ_PAUSE_MS)
    }
  }

  async #beginAll(): Promise<void> {
    const { store, heldLease } = this.#deps
    const exceptIds = [...this.#runningIds]
    for (const request of await store.requests.readRequests({ sessionId: heldLease.sessionId, exceptIds }))
      this.#begin(request)
  }

  #begin(request: WaitingRequest): void {
    const { id } = request
    if (this.#isStopped || !this.#deps.heldLease.isValid() || this.#recentlyBegun.get(id)) return
    this.#recentlyBegun.set(id, true)
    this.#runningIds.add(id)
    const work = this.#answer(request).catch((error: unknown) => this.#failed(request, error))
    this.#tasks.add(work.finally(() => this.#runningIds.delete(id)))
  }

  #failed({ id }: WaitingRequest, error: unknown): void {
    const { log, heldLease } = this.#deps
    if (error instanceof LeaseLost || this.#tasks.signal.aborted) return
    log.error({ session: heldLease.sessionId, request: id, err: error }, 'session_request.failed')
  }

  async #answer(request: WaitingRequest): Promise<void> {
    const { store, seal, clock, metrics, log, heldLease } = this.#deps
    const { id, replyTo } = request
    const kind = request.kind as CommandKind
    const begunMs = clock.monotonicMs()
    if (request.expiresAt <= clock.now().getTime()) {
      await heldLease.commit(() => store.requests.endRequest({ lease: heldLease.lease, id }))
      return metrics.command(kind, 'expired')
    }
    const answer = await performRequest(this.#deps, request, this.#tasks.signal)
    // Unlinking ends the session, and its client still gets the response.
    if (this.#tasks.signal.aborted && kind !== 'unlink') return
    const sealed = seal.sealJson(answer, aboutAnswer(id))
    // The action is done: while the client waits, the response is retried until the database is reachable.
    const mayRetry = (): boolean => clock.now().getTime() < request.expiresAt
    await retryUntilReachable(clock, () => store.requests.answerRequest({ id, replyTo, sealed }), { mayRetry })
    const outcome = answer.ok ? 'done' : answer.failure.kind
    const ms = Math.round(clock.monotonicMs() - begunMs)
    metrics.command(kind, outcome)
    log.info({ session: heldLease.sessionId, request: id, kind, outcome, ms }, 'session_request.executed')
  }
}
