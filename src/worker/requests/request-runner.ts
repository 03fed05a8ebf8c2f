import { Bell } from '../../bell.ts'
import type { CommandKind } from '../../domain/command.ts'
import { RecentMap } from '../../domain/recent-map.ts'
import { aboutAnswer } from '../../domain/sealed.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingRequest } from '../../store/units/requests/requests.ts'
import { whenReachable } from '../../store/when-reachable.ts'
import { LeaseLost } from '../hold.ts'
import { UnderWay } from '../under-way.ts'
import type { HostParts } from '../parts.ts'
import { performRequest, type RequestParts } from './perform-request.ts'

/** A burst of wake-ups is one read. */
const READ_PAUSE_MS = 10
const REMEMBERED = 1_024
const REMEMBERED_MS = 60_000

type RunnerParts = RequestParts & Pick<HostParts, 'clock' | 'metrics'> & { store: Pick<Store, 'requests'> }

/** Runs what API requests ask of a number: each at once, whatever else waits. One whose asker has gone is dropped. */
export class RequestRunner {
  readonly #parts: RunnerParts
  readonly #underWay: UnderWay
  readonly #wanted = new Bell()
  readonly #runningIds = new Set<string>()
  /** A read that began before a request ended still brings it. */
  readonly #begunLately: RecentMap<true>
  #isStopped = false

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#underWay = new UnderWay(parts, parts.hold)
    this.#begunLately = new RecentMap(REMEMBERED, { ms: REMEMBERED_MS, clock: parts.clock })
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
    const { clock, log, hold } = this.#parts
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
    const { store, hold } = this.#parts
    const exceptIds = [...this.#runningIds]
    for (const request of await store.requests.readRequests({ sessionId: hold.sessionId, exceptIds }))
      this.#begin(request)
  }

  #begin(request: WaitingRequest): void {
    const { id } = request
    if (this.#isStopped || !this.#parts.hold.lasts() || this.#begunLately.get(id)) return
    this.#begunLately.set(id, true)
    this.#runningIds.add(id)
    const work = this.#answer(request).catch((error: unknown) => this.#broke(request, error))
    this.#underWay.add(work.finally(() => this.#runningIds.delete(id)))
  }

  #broke({ id }: WaitingRequest, error: unknown): void {
    const { log, hold } = this.#parts
    if (error instanceof LeaseLost || this.#underWay.signal.aborted) return
    log.error({ session: hold.sessionId, request: id, err: error }, 'session_request.broke')
  }

  async #answer(request: WaitingRequest): Promise<void> {
    const { store, seal, clock, metrics, log, hold } = this.#parts
    const { id, replyTo } = request
    const kind = request.kind as CommandKind
    const begunMs = clock.monotonicMs()
    if (request.expiresAt <= clock.now().getTime()) {
      await hold.commit(() => store.requests.endRequest({ lease: hold.lease, id }))
      return metrics.command(kind, 'expired')
    }
    const answer = await performRequest(this.#parts, request, this.#underWay.signal)
    // Unlinking ends the session, and its asker is to hear of it all the same.
    if (this.#underWay.signal.aborted && kind !== 'unlink') return
    const sealed = seal.sealJson(answer, aboutAnswer(id))
    // It is done: as long as somebody waits, a database that is away is no reason to say nothing.
    const makesSense = (): boolean => clock.now().getTime() < request.expiresAt
    await whenReachable(clock, () => store.requests.answerRequest({ id, replyTo, sealed }), { makesSense })
    const outcome = answer.ok ? 'done' : answer.failure.kind
    const ms = Math.round(clock.monotonicMs() - begunMs)
    metrics.command(kind, outcome)
    log.info({ session: hold.sessionId, request: id, kind, outcome, ms }, 'session_request.executed')
  }
}
