import { makeEvent } from '../../actions/make-event.ts'
import {
  afterLink,
  isSameTrouble,
  type LinkMemory,
  type LinkStep,
  type LinkTrouble,
  msToDisconnected,
} from '../../domain/link-watch.ts'
import { banChange } from '../../domain/health.ts'
import type { Ban, SessionState } from '../../domain/session.ts'
import type { NewEvent } from '../../store/events/events.ts'
import type { Store } from '../../store/store.ts'
import { type HeldLease, LeaseLost } from '../held-lease.ts'
import { logPublished } from '../log-published.ts'
import type { NumberSettings } from '../number-settings.ts'
import type { HostDeps } from '../deps.ts'

export interface RecordDeps extends Pick<HostDeps, 'seal' | 'clock' | 'log' | 'config'> {
  store: Pick<Store, 'sessions'>
  heldLease: HeldLease
  settings: NumberSettings
  /** The state is another one. */
  onChange: () => void
  /** The logout of the device is recorded, or the lease is over. */
  onEnd: (reason: 'logged_out' | 'lost') => void
}

/** Records the state of a link and publishes its connection events, one step after the other. */
export class LinkRecord {
  readonly #deps: RecordDeps
  #memory: LinkMemory
  #trouble: LinkTrouble | null
  #ban: Ban | null
  #written: Promise<void> = Promise.resolve()

  constructor(deps: RecordDeps, memory: LinkMemory, trouble: LinkTrouble | null, ban: Ban | null) {
    this.#deps = deps
    this.#memory = memory
    this.#trouble = trouble
    this.#ban = ban
  }

  get state(): SessionState {
    return this.#memory.state
  }

  /** `null` while the link is up. */
  get downSince(): number | null {
    return this.#memory.downSince
  }

  /** Until when the platform rejects logins. */
  get pausedUntil(): number | null {
    return this.#trouble?.until ?? null
  }

  /** Records a step, with the reason if the link is down. */
  note(step: LinkStep, trouble?: LinkTrouble | null): void {
    this.#written = this.#written.then(() => this.#write(step, trouble)).catch((error: unknown) => this.#failed(error))
  }

  /** Time has passed: a link that stays down becomes disconnected. */
  tick(): void {
    const { clock, config } = this.#deps
    const leftMs = msToDisconnected(this.#memory, clock.now().getTime(), config.disconnectGraceMs)
    if (leftMs === 0) this.note({ kind: 'waited' })
  }

  /** Resolves when all steps are recorded. */
  async flushed(): Promise<void> {
    await this.#written
  }

  /** Runs after the previous step: each starts from the memory that the last one left. */
  async #write(step: LinkStep, newTrouble: LinkTrouble | null | undefined): Promise<void> {
    const trouble = newTrouble === undefined ? this.#trouble : newTrouble
    const { store, heldLease, clock, config, onChange, onEnd } = this.#deps
    const nowMs = clock.now().getTime()
    const { memory, report: connection, changed } = afterLink(this.#memory, step, nowMs, config.disconnectGraceMs)
    if (this.#memory.state === 'logged_out' || (!changed && isSameTrouble(trouble, this.#trouble))) return
    const ban = banAfter(this.#ban, memory, trouble, nowMs)
    const health = this.#healthEvent(ban, nowMs)
    const event = connection && this.#event(connection, nowMs)
    this.#memory = memory
    this.#trouble = trouble
    this.#ban = ban
    onChange()
    await heldLease.commit(() =>
      store.sessions.recordLink({ lease: heldLease.lease, memory, trouble, event, ban, health }),
    )
    logPublished(
      this.#deps,
      [event, health].filter(each => each !== null),
      nowMs,
    )
    if (memory.state === 'logged_out') onEnd('logged_out')
  }

  #event(connection: NonNullable<LinkMemory['reported']>, nowMs: number) {
    return makeEvent(this.#deps, this.#deps.settings.accountId, {
      kind: 'connection',
      session_id: this.#deps.heldLease.sessionId,
      event: connection,
      timestamp_unix: Math.floor(nowMs / 1000),
    })
  }

  /** The event of a ban that is new or over. */
  #healthEvent(ban: Ban | null, nowMs: number): NewEvent | null {
    const change = banChange(this.#ban, ban)
    if (change === null) return null
    return makeEvent(this.#deps, this.#deps.settings.accountId, {
      kind: 'health',
      session_id: this.#deps.heldLease.sessionId,
      event: change,
      cause: 'ban',
      ...(ban !== null && ban.untilMs !== null && { until_unix: Math.floor(ban.untilMs / 1000) }),
      ...(ban !== null && { detail: ban.reason }),
      timestamp_unix: Math.floor(nowMs / 1000),
    })
  }

  #failed(error: unknown): void {
    const { heldLease, log, onEnd } = this.#deps
    if (!(error instanceof LeaseLost)) log.error({ session: heldLease.sessionId, err: error }, 'link.record_failed')
    if (!heldLease.isValid()) onEnd('lost')
  }
}

/** A ban lasts until a login succeeds; other troubles prove nothing about it. */
function banAfter(ban: Ban | null, memory: LinkMemory, trouble: LinkTrouble | null, nowMs: number): Ban | null {
  if (trouble?.isBan) return { reason: trouble.reason, untilMs: trouble.until, asOfMs: nowMs }
  return memory.state === 'connected' ? null : ban
}
