import { WakeSignal } from '../../runtime/wake-signal.ts'
import type { CommandKind } from '../../domain/command.ts'
import { ExpiringMap } from '../../runtime/expiring-map.ts'
import { aboutAnswer } from '../../domain/sealed.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingRequest } from '../../store/requests/requests.ts'
import { retryUntilReachable } from '../../store/retry-until-reachable.ts'
import { LeaseLost } from '../hold.ts'
import { TaskGroup } from '../task-group.ts'
import type { HostDeps } from '../deps.ts'
import { performRequest, type RequestDeps } from './perform-request.ts'

/** A burst of wake-ups is one read. */
const READ_PAUSE_MS = 10
const REMEMBERED = 1_024
const REMEMBERED_MS = 60_000

type RunnerDeps = RequestDeps & Pick<HostDeps, 'clock' | 'metrics'> & { store: Pick<Store, 'requests'> }

/** Runs what API requests ask of a number: each at once, whatever else waits. One whose asker has gone is dropped. */
export class RequestRunner {
  readonly #deps: RunnerDeps
  readonly #underWay: TaskGroup
  readonly #wanted = new WakeSignal()
  readonly #runningIds = new Set<string>()
  /** A read that began before a request ended still brings it. */
  readonly #begunLately: ExpiringMap<true>
  #isStopped = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#underWay = new TaskGroup(deps, deps.hold)
    this.#begunLately = new ExpiringMap(REMEMBERED, { ms: REMEMBERED_MS, clock: deps.clock })
  }

  start(): void {
    void this.#run()
    this.wake()
  }

  /** Something may wait. */
  wake(): void {
    this.#wanted.ring()
  }

  /** Begins nothing more; waits so long for what is under way, then leaves it to whoever comes next. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    this.#wanted.ring()
    await this.#underWay.finish(graceMs)
  }

  async #run(): Promise<void> {
    const { clock, log, hold } = this.#deps
    for (;;) {
      await this.#wanted.heard()
      if (this.#isStopped) return
      if (!hold.lasts()) continue
      await this.#beginAll().catch((error: unknown) => {
        log.warn({ session: hold.sessionId, err: error }, 'session_requests.unread')
      })
      await clock.sleep(READ_PAUSE_MS)
    }
  }

  async #beginAll(): Promise<void> {
    const { store, hold } = this.#deps
    const exceptIds = [...this.#runningIds]
    for (const request of await store.requests.readRequests({ sessionId: hold.sessionId, exceptIds }))
      this.#begin(request)
  }

  #begin(request: WaitingRequest): void {
    const { id } = request
    if (this.#isStopped || !this.#deps.hold.lasts() || this.#begunLately.get(id)) return
    this.#begunLately.set(id, true)
    this.#runningIds.add(id)
    const work = this.#answer(request).catch((error: unknown) => this.#broke(request, error))
    this.#underWay.add(work.finally(() => this.#runningIds.delete(id)))
  }

  #broke({ id }: WaitingRequest, error: unknown): void {
    const { log, hold } = this.#deps
    if (error instanceof LeaseLost || this.#underWay.signal.aborted) return
    log.error({ session: hold.sessionId, request: id, err: error }, 'session_request.broke')
  }

  async #answer(request: WaitingRequest): Promise<void> {
    const { store, seal, clock, metrics, log, hold } = this.#deps
    const { id, replyTo } = request
    const kind = request.kind as CommandKind
    const begunMs = clock.monotonicMs()
    if (request.expiresAt <= clock.now().getTime()) {
      await hold.commit(() => store.requests.endRequest({ lease: hold.lease, id }))
      return metrics.command(kind, 'expired')
    }
    const answer = await performRequest(this.#deps, request, this.#underWay.signal)
    // Unlinking ends the session, and its asker is to hear of it all the same.
    if (this.#underWay.signal.aborted && kind !== 'unlink') return
    const sealed = seal.sealJson(answer, aboutAnswer(id))
    // It is done: as long as somebody waits, a database that is away is no reason to say nothing.
    const makesSense = (): boolean => clock.now().getTime() < request.expiresAt
    await retryUntilReachable(clock, () => store.requests.answerRequest({ id, replyTo, sealed }), { makesSense })
    const outcome = answer.ok ? 'done' : answer.failure.kind
    const ms = Math.round(clock.monotonicMs() - begunMs)
    metrics.command(kind, outcome)
    log.info({ session: hold.sessionId, request: id, kind, outcome, ms }, 'session_request.executed')
  }
}
