import { setMaxListeners } from 'node:events'
import type { CommandKind, CommandResult, SessionRequest } from '../../domain/command.ts'
import { RecentMap } from '../../domain/recent-map.ts'
import type { Answer } from '../../domain/request.ts'
import { aboutAnswer, aboutRequest } from '../../domain/sealed.ts'
import type { WaitingRequest } from '../../store/units/requests/requests.ts'
import type { HostParts } from '../parts.ts'
import { type Execute, failureOf } from '../execute.ts'
import { type Hold, LeaseLost } from '../hold.ts'
import { within } from '../within.ts'

export interface RequestOptions {
  parts: HostParts
  hold: Hold
  execute: Execute
  isLinkOpen: () => boolean
  restart: () => void
  /** The subscriptions in the store are to be made as soon as there is a link. */
  subscribeLater: () => void
  unlink: () => Promise<void>
}

const TIMEOUT_MS = 9_000
/** A burst of wake-ups is one read. */
const READ_PAUSE_MS = 10
const REMEMBERED = 512

/** Runs what API requests ask of a session: each at once, whatever else waits. One whose asker has gone is dropped. */
export class RequestRunner {
  readonly #options: RequestOptions
  readonly #stopping = new AbortController()
  readonly #running = new Map<string, Promise<void>>()
  /** A read that began before a request ended still brings it. */
  readonly #begunLately = new RecentMap<true>(REMEMBERED)
  #isWanted = false
  #isReading = false
  #isStopped = false

  constructor(options: RequestOptions) {
    this.#options = options
    setMaxListeners(0, this.#stopping.signal)
  }

  /** Something may wait. */
  wake(): void {
    this.#isWanted = true
    if (this.#mayRun() && !this.#isReading) void this.#readAll()
  }

  /** Begins nothing more; waits so long for what is under way, then leaves it to whoever comes next. */
  async stop(graceMs: number): Promise<void> {
    const { parts, hold } = this.#options
    this.#isStopped = true
    const until = parts.clock.monotonicMs() + graceMs
    while (this.#running.size > 0 && parts.clock.monotonicMs() < until && hold.lasts()) await parts.clock.sleep(10)
    this.#stopping.abort()
    await Promise.all(this.#running.values())
  }

  #mayRun(): boolean {
    return !this.#isStopped && this.#options.hold.lasts()
  }

  async #readAll(): Promise<void> {
    const { parts, hold } = this.#options
    const { sessionId } = hold
    this.#isReading = true
    try {
      while (this.#isWanted && this.#mayRun()) {
        this.#isWanted = false
        const exceptIds = [...this.#running.keys()]
        for (const request of await parts.store.requests.readRequests({ sessionId, exceptIds })) this.#begin(request)
        await parts.clock.sleep(READ_PAUSE_MS)
      }
    } catch (error) {
      parts.log.warn({ session: sessionId, err: error }, 'requests.unread')
    } finally {
      this.#isReading = false
    }
  }

  #begin(request: WaitingRequest): void {
    if (!this.#mayRun() || this.#begunLately.get(request.id)) return
    this.#begunLately.set(request.id, true)
    const run = this.#run(request)
      .catch((error: unknown) => this.#report(error))
      .finally(() => this.#running.delete(request.id))
    this.#running.set(request.id, run)
  }

  #report(error: unknown): void {
    const { parts, hold } = this.#options
    if (error instanceof LeaseLost || this.#stopping.signal.aborted) return
    parts.log.error({ session: hold.sessionId, err: error }, 'command.broke')
  }

  async #run(waiting: WaitingRequest): Promise<void> {
    const { parts, hold } = this.#options
    const { id } = waiting
    const kind = waiting.kind as CommandKind
    const begunMs = parts.clock.monotonicMs()
    if (waiting.expiresAt <= parts.clock.now().getTime()) {
      await hold.commit(() => parts.store.requests.endRequest({ lease: hold.lease, id }))
      parts.metrics.command(kind, 'expired')
      return
    }
    const answer = await this.#answer(waiting)
    // Unlinking ends the session, and its caller is to hear of it all the same.
    if (this.#stopping.signal.aborted && kind !== 'unlink') return
    await parts.store.requests.answerRequest({ id, sealed: parts.seal.sealJson(answer, aboutAnswer(id)) })
    const outcome = answer.ok ? 'done' : answer.failure.kind
    const ms = Math.round(parts.clock.monotonicMs() - begunMs)
    parts.metrics.command(kind, outcome)
    parts.log.info({ session: hold.sessionId, command: id, kind, outcome, ms }, 'command.executed')
  }

  async #answer({ id, sealed }: WaitingRequest): Promise<Answer<CommandResult>> {
    const request = this.#open(id, sealed)
    if (request === undefined) return { ok: false, failure: { kind: 'transient', detail: 'the command has no body' } }
    try {
      return { ok: true, value: await this.#perform(request) }
    } catch (error) {
      return { ok: false, failure: failureOf(this.#options.parts, error) }
    }
  }

  #open(id: string, sealed: Uint8Array): SessionRequest | undefined {
    const { parts, hold } = this.#options
    try {
      return parts.seal.openJson<SessionRequest>(sealed, aboutRequest(id))
    } catch (error) {
      parts.log.error({ session: hold.sessionId, command: id, err: error }, 'command.unreadable')
      return undefined
    }
  }

  async #perform(request: SessionRequest): Promise<CommandResult> {
    const { parts, hold, execute, isLinkOpen, restart, subscribeLater, unlink } = this.#options
    if (request.kind === 'restart') {
      restart()
      return { kind: 'done' }
    }
    if (request.kind === 'unlink') {
      await within(TIMEOUT_MS, unlink, new AbortController().signal)
      return { kind: 'done' }
    }
    if (request.kind === 'presence_subscribe') {
      await parts.store.hosting.addSubscription({ sessionId: hold.sessionId, contactJid: request.contactJid })
      if (!isLinkOpen()) {
        subscribeLater()
        return { kind: 'done' }
      }
    }
    const running = within(TIMEOUT_MS, signal => execute(request, signal), this.#stopping.signal)
    // It is in the store, so it is to be made, whatever the caller hears.
    if (request.kind === 'presence_subscribe') void running.catch(subscribeLater)
    return await running
  }
}
