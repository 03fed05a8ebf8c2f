import { makeEvent } from '../actions/make-event.ts'
import type { HealthEvent } from '../domain/event.ts'
import type { Pace } from '../domain/pace.ts'
import type { Proxy } from '../domain/proxy.ts'
import { aboutAutoReject, aboutProxy } from '../domain/sealed.ts'
import type { NewChatCap, Restriction } from '../domain/session.ts'
import type { SessionCallbacks } from '../platform/platform.ts'
import type { NewEvent } from '../store/events/events.ts'
import type { Store } from '../store/store.ts'
import type { HostedRow } from '../store/hosting/hosting.ts'
import type { HeldLease } from './held-lease.ts'
import type { HostDeps } from './deps.ts'

type SettingsDeps = Pick<HostDeps, 'seal' | 'log' | 'clock'> & { store: Pick<Store, 'sessions'> }

/** The account and the settings of a number, which change while it is hosted. */
export class NumberSettings {
  readonly #deps: SettingsDeps
  readonly #heldLease: HeldLease
  #row: HostedRow
  #recorded = Promise.resolve()
  #pace: Pace | null

  constructor(deps: SettingsDeps, heldLease: HeldLease, row: HostedRow) {
    this.#deps = deps
    this.#heldLease = heldLease
    this.#row = row
    this.#pace = readPace(row)
  }

  refresh(row: HostedRow): void {
    if (row.pace !== this.#row.pace) this.#pace = readPace(row)
    this.#row = row
  }

  get accountId(): string {
    return this.#row.accountId
  }

  get device(): number {
    return this.#row.device
  }

  /** The same object until it changes. */
  get pace(): Pace | null {
    return this.#pace
  }

  /** Contacts never see it online, nor typing. */
  get isHidden(): boolean {
    return this.#row.appear === 'offline'
  }

  get addressing(): ReturnType<SessionCallbacks['addressing']> {
    return this.#row.addressing
  }

  get appearsOnline(): boolean {
    const { appear, isWatched } = this.#row
    return appear === 'online' || (appear === 'auto' && isWatched === 1)
  }

  /** Whether the gateway keeps a list of the number's chats. */
  get followsChats(): boolean {
    return this.#row.followsChats === 1
  }

  /** Its owner has stopped it. */
  get isPaused(): boolean {
    return this.#row.paused === 1
  }

  /** Throws if it cannot be decrypted: the number must not connect without it. */
  get proxy(): Proxy | null {
    const { proxy } = this.#row
    return proxy && this.#deps.seal.openJson<Proxy>(proxy, aboutProxy(this.#heldLease.sessionId))
  }

  /** Whether the number has had this proxy, or none, in `row` too. */
  hasProxyOf(row: HostedRow): boolean {
    const { proxy } = this.#row
    return proxy === null || row.proxy === null ? proxy === row.proxy : Buffer.compare(proxy, row.proxy) === 0
  }

  get restrictedUntil(): number | null {
    return this.#row.restrictedUntil
  }

  autoReject(): ReturnType<SessionCallbacks['autoReject']> {
    const { autoReject, autoRejectMessage: sealed } = this.#row
    if (autoReject !== 1) return null
    const about = aboutAutoReject(this.#heldLease.sessionId)
    return { message: sealed && this.#deps.seal.open(sealed, about).toString('utf8') }
  }

  /** The platform forbids the number to write to strangers for some time, or with `null` no longer. */
  async restrict(restriction: Restriction | null): Promise<void> {
    const { store, log } = this.#deps
    const { sessionId, lease } = this.#heldLease
    if (restriction === null && this.#row.restrictedUntil === null) return
    this.#row = { ...this.#row, restrictedUntil: restriction?.untilMs ?? null }
    if (restriction === null) log.info({ session: sessionId }, 'session.restriction_lifted')
    else log.warn({ session: sessionId, until: restriction.untilMs, type: restriction.type }, 'session.restricted')
    const { untilMs, type = null } = restriction ?? {}
    const event = this.#event({
      event: restriction === null ? 'lifted' : 'restricted',
      cause: 'restriction',
      ...(untilMs !== undefined && { until_unix: Math.floor(untilMs / 1000) }),
      ...(type !== null && { restriction_type: type }),
    })
    await this.#record(
      () => store.sessions.restrictSession({ lease, restriction, event }),
      err => log.error({ session: sessionId, err }, 'session.restrict_failed'),
    )
  }

  /** The platform reports its limit of new chats. */
  async capNewChats(cap: NewChatCap): Promise<void> {
    const { store, log } = this.#deps
    const { sessionId, lease } = this.#heldLease
    const { status, used, limit } = cap
    if (status !== 'none') log.warn({ session: sessionId, status, used, limit }, 'session.new_chats_limited')
    const event = this.#event({
      event: status === 'none' ? 'lifted' : status === 'capped' ? 'restricted' : 'warned',
      cause: 'new_chats',
      ...(cap.untilMs !== null && { until_unix: Math.floor(cap.untilMs / 1000) }),
      new_chats: { limit, used },
    })
    await this.#record(
      () => store.sessions.capNewChats({ lease, cap, event }),
      err => log.error({ session: sessionId, err }, 'session.cap_failed'),
    )
  }

  /** The platform has refused a message. */
  async recordRefusal(code: number): Promise<void> {
    const { store, log } = this.#deps
    const { sessionId, lease } = this.#heldLease
    await store.sessions.recordRefusal({ lease, code }).catch((error: unknown) => {
      log.error({ session: sessionId, err: error }, 'session.refusal_failed')
    })
  }

  /** In the order of the reports, and until the database has it: the platform reports a restriction once. */
  #record(write: () => Promise<boolean>, onFailed: (error: unknown) => void): Promise<void> {
    this.#recorded = this.#recorded.then(() => this.#heldLease.commit(write)).then(() => {}, onFailed)
    return this.#recorded
  }

  #event(change: Omit<HealthEvent, 'kind' | 'session_id' | 'timestamp_unix'>): NewEvent {
    return makeEvent(this.#deps, this.accountId, {
      kind: 'health',
      session_id: this.#heldLease.sessionId,
      ...change,
      timestamp_unix: Math.floor(this.#deps.clock.now().getTime() / 1000),
    })
  }
}

const readPace = ({ pace }: HostedRow): Pace | null => (pace === null ? null : (JSON.parse(pace) as Pace))
