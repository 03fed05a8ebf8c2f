import type { CommandResult, SessionCommand } from '../../domain/command.ts'
import { PAUSED } from '../../domain/link-watch.ts'
import {
  type DeviceStorage,
  type InboxItem,
  type Interpretation,
  type LinkChange,
  type Platform,
  PlatformError,
  type PlatformSession,
} from '../../platform/platform.ts'
import { resolveWithin } from '../../runtime/deadline.ts'
import type { HeldLease } from '../held-lease.ts'
import type { Logins } from '../logins.ts'
import type { NumberSettings } from '../number-settings.ts'
import type { HostDeps, LinkStatus } from '../deps.ts'

export interface NumberLinkDeps extends Pick<HostDeps, 'clock' | 'log' | 'metrics'> {
  platform: Platform
  heldLease: HeldLease
  settings: NumberSettings
  storage: DeviceStorage
  logins: Pick<Logins, 'acquireSlot'>
  /** The platform rejects logins before this time. */
  notBeforeMs: () => number | null
  /** The link has opened, closed or ended. */
  onChange: (change: LinkChange) => void
  /** Whether all messages fail although the link is open. */
  onSendsFailing: (areFailing: boolean) => void
}

const CLOSE_TIMEOUT_MS = 3_000

/** The link of a number under its lease: opened, reopened on request, and closed once. */
export class NumberLink implements Omit<PlatformSession, 'close'> {
  readonly #deps: NumberLinkDeps
  /** `undefined` before it is opened for the first time. */
  #session: PlatformSession | undefined
  #isUp = false
  #isEnding = false
  #isRestarting = false

  constructor(deps: NumberLinkDeps) {
    this.#deps = deps
  }

  get isUp(): boolean {
    return this.#isUp
  }

  open(): void {
    const { platform, heldLease, settings, storage, metrics, logins, clock, log } = this.#deps
    const { accountId, device, proxy } = settings
    const notBeforeMs = this.#deps.notBeforeMs() ?? 0
    this.#session = platform.open(
      { sessionId: heldLease.sessionId, device, owner: accountId, notBeforeMs, proxy },
      storage,
      {
        onLink: change => {
          metrics.link(statusOf(change))
          this.#changed(change)
        },
        onDropped: reason => metrics.stanza('dropped', reason),
        onRestricted: restriction => void settings.restrict(restriction),
        isRestricted: () => (settings.restrictedUntil ?? 0) > clock.now().getTime(),
        onNewChatCap: cap => void settings.capNewChats(cap),
        onRefused: code => void settings.recordRefusal(code),
        onSendsFailing: areFailing => this.#sendsFailing(areFailing),
        onFlag: flag => {
          metrics.flag(flag)
          log.warn({ session: heldLease.sessionId, flag }, 'platform.flag_turned_on')
        },
        acquireLoginSlot: async signal => {
          await heldLease.untilFresh(signal)
          return await logins.acquireSlot(signal, proxy !== null)
        },
        autoReject: () => settings.autoReject(),
        addressing: () => settings.addressing,
        appearsOnline: () => settings.appearsOnline,
        followsChats: () => settings.followsChats,
        onAddressed: (form, outcome) => metrics.addressed(form, outcome),
      },
    )
  }

  async execute(command: SessionCommand, signal: AbortSignal): Promise<CommandResult> {
    return await this.#require().execute(command, signal)
  }

  async interpret(item: InboxItem, signal: AbortSignal): Promise<Interpretation> {
    return await this.#require().interpret(item, signal)
  }

  interpretNow(item: InboxItem): Interpretation | undefined {
    return this.#session?.interpretNow?.(item)
  }

  refreshSettings(): void {
    this.#session?.refreshSettings()
  }

  async unlink(): Promise<void> {
    await this.#require().unlink()
  }

  /** A restart that is under way serves further requests too: a device never has two links. */
  restart(): void {
    const { log, heldLease } = this.#deps
    if (this.#isRestarting) return
    this.#isRestarting = true
    // Deferred, since closing the link lets commands run, and one of them may request a restart again.
    void Promise.resolve()
      .then(() => this.#reopen())
      .catch((error: unknown) => log.error({ session: heldLease.sessionId, err: error }, 'link.restart_failed'))
      .finally(() => (this.#isRestarting = false))
  }

  /** From now on the link is not opened again, and its changes are not reported. */
  beginEnding(): void {
    this.#isEnding = true
  }

  async close(): Promise<void> {
    const { log, heldLease, clock } = this.#deps
    this.#isUp = false
    if (this.#session === undefined) return
    const closed = this.#session.close().catch((error: unknown) => {
      log.warn({ session: heldLease.sessionId, err: error }, 'link.close_failed')
    })
    await resolveWithin(clock, CLOSE_TIMEOUT_MS, closed)
  }

  #require(): PlatformSession {
    this.#deps.heldLease.requireValid()
    if (this.#session === undefined) throw new PlatformError({ kind: 'link_down', detail: 'the session is starting' })
    return this.#session
  }

  #changed(change: LinkChange): void {
    const { log, heldLease, onChange } = this.#deps
    if (this.#isEnding) return
    this.#isUp = change.state === 'open'
    const reason = change.state === 'open' ? undefined : change.reason
    log.info({ session: heldLease.sessionId, link: change.state, reason }, 'link.changed')
    onChange(change)
  }

  #sendsFailing(areFailing: boolean): void {
    const { log, heldLease, metrics, onSendsFailing } = this.#deps
    if (this.#isEnding || !this.#isUp) return
    if (areFailing) metrics.link('failing')
    log.warn({ session: heldLease.sessionId, failing: areFailing }, 'link.sends_failing')
    onSendsFailing(areFailing)
  }

  async #reopen(): Promise<void> {
    const before = this.#session
    // It has not been opened yet.
    if (before === undefined) return
    // A restart does not end a pause that the platform demands.
    if (this.#deps.settings.isPaused) this.#changed({ state: 'closed', kind: 'paused', reason: PAUSED })
    else if (this.#deps.notBeforeMs() === null)
      this.#changed({ state: 'closed', kind: 'lost', reason: 'a restart was requested' })
    await before.close()
    if (!this.#isEnding && this.#deps.heldLease.isValid()) this.open()
  }
}

function statusOf(change: LinkChange): LinkStatus {
  if (change.state !== 'closed') return change.state
  return change.isOutdated ? 'outdated' : change.kind
}
