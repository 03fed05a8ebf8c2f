import type { DueCommand } from '../domain/command.ts'
import { type LinkTrouble, PAUSED } from '../domain/link-watch.ts'
import type { Ban, SessionState } from '../domain/session.ts'
import type { LinkChange, Platform } from '../platform/platform.ts'
import type { Semaphore } from '../runtime/semaphore.ts'
import type { HostedRow } from '../store/hosting/hosting.ts'
import { CommandRunner } from './commands/command-runner.ts'
import type { HeldLease } from './held-lease.ts'
import { DirectReceipts } from './inbox/direct-receipts.ts'
import { SealedDeviceStorage } from './inbox/sealed-device-storage.ts'
import { InboxProcessor } from './inbox/inbox-processor.ts'
import { Inbox } from './inbox/inbox.ts'
import { StoredReceivedFiles } from './inbox/received-files.ts'
import { NumberLink } from './link/number-link.ts'
import type { Logins } from './logins.ts'
import { LinkRecord } from './link/link-record.ts'
import { Subscriptions } from './link/subscriptions.ts'
import { numberState } from './number-state.ts'
import { NumberSettings } from './number-settings.ts'
import type { HostDeps, HostStore } from './deps.ts'
import type { SentMessages } from './sent-messages.ts'
import { RequestRunner } from './requests/request-runner.ts'

export interface HostedDeps extends Omit<HostDeps, 'store'> {
  store: HostStore
  platform: Platform
  heldLease: HeldLease
  logins: Logins
  sentMessages: SentMessages
  suspects: Semaphore
  onLinkChange: () => void
  onWaitingCommands: () => void
  /** The number has ended without a call of `end`: it is logged out, or its lease is lost. */
  onEnd: (reason: 'logged_out' | 'lost') => void
}

const FINISH_MS = 3_000
const DRAIN_AFTER_LOGOUT_MS = 5_000
const FAILING: LinkTrouble = {
  reason:
    'the platform refuses or ignores every message of this number, even after a new login: restart it, or link it again',
  until: null,
}

/**
 * A number that this host runs under its lease. Received items go link → device state → inbox → processor; commands and
 * requests go to the link.
 */
export class HostedNumber {
  readonly heldLease: HeldLease
  readonly #deps: HostedDeps
  readonly #settings: NumberSettings
  readonly #record: LinkRecord
  readonly #inbox: Inbox
  readonly #link: NumberLink
  readonly #processor: InboxProcessor
  readonly #subscriptions: Subscriptions
  readonly #requests: RequestRunner
  readonly #commands: CommandRunner
  #ending: Promise<void> | undefined

  constructor(deps: HostedDeps, row: HostedRow) {
    const { heldLease } = deps
    this.heldLease = heldLease
    this.#deps = deps
    const settings = new NumberSettings(deps, heldLease, row)
    const { linkReason: reason, linkUntil: until } = row
    const recordDeps = { ...deps, settings, onChange: deps.onLinkChange }
    const record = new LinkRecord(recordDeps, row, reason === null ? null : { reason, until }, readBan(row))
    const inbox = new Inbox(deps, heldLease)
    const receipts = new DirectReceipts({ ...deps, inbox, interpretNow: item => this.#link.interpretNow(item) })
    const storage = new SealedDeviceStorage(deps, heldLease, inbox, new StoredReceivedFiles(deps, heldLease), receipts)
    const notBeforeMs = (): number | null => (settings.isPaused ? Number.POSITIVE_INFINITY : record.pausedUntil)
    const onChange = (change: LinkChange): void => this.#linkChanged(change)
    const onSendsFailing = (areFailing: boolean): void => record.note({ kind: 'opened' }, areFailing ? FAILING : null)
    const link = new NumberLink({ ...deps, settings, storage, notBeforeMs, onChange, onSendsFailing })
    this.#settings = settings
    this.#record = record
    this.#inbox = inbox
    this.#link = link
    this.#processor = new InboxProcessor({
      ...deps,
      inbox,
      interpreter: link,
      accountId: () => settings.accountId,
      isPaced: () => settings.pace !== null,
    })
    this.#subscriptions = new Subscriptions(deps, heldLease, link)
    this.#commands = new CommandRunner(deps, heldLease, numberState(settings, link, record), link)
    this.#requests = new RequestRunner({ ...deps, link, subscriptions: this.#subscriptions })
  }

  get state(): SessionState {
    return this.#record.state
  }

  get isPaused(): boolean {
    return this.#settings.isPaused
  }

  async start(): Promise<void> {
    this.#requests.start()
    this.#commands.start()
    await this.#open()
  }

  /** A commit has changed the commands; `fresh` are those that it added, if they are known and nothing else has changed. */
  commandsAdded(fresh: DueCommand[] | undefined): void {
    this.#commands.added(fresh)
  }

  /** The store may have commands that become due, or did not fit into memory. */
  get hasWaitingCommands(): boolean {
    return this.#commands.hasWaiting
  }

  /** Commands may be due. */
  wakeForCommands(): void {
    this.#commands.wake()
  }

  /** Requests may wait. */
  wakeForRequests(): void {
    this.#requests.wake()
  }

  /** Called every few seconds, and four times a second while a number of the host is not connected. */
  tick(): void {
    if (this.#ending !== undefined) return
    if (!this.heldLease.isValid()) return this.#deps.onEnd('lost')
    this.#record.tick()
    this.#subscriptions.makePending()
    this.#commands.tick()
  }

  /** Takes over changed settings. */
  refresh(row: HostedRow): void {
    const wasPaused = this.isPaused
    const isSameProxy = this.#settings.hasProxyOf(row)
    this.#settings.refresh(row)
    if (this.isPaused !== wasPaused || !isSameProxy) this.#link.restart()
    this.#link.refreshSettings()
  }

  /** Closes the link without an event. Unless the lease is lost, work under way may finish first. */
  async end(): Promise<void> {
    this.#ending ??= this.#finish()
    await this.#ending
  }

  get #mayOpen(): boolean {
    return this.#ending === undefined && this.heldLease.isValid()
  }

  async #open(): Promise<void> {
    if (!this.#mayOpen) return
    await this.#inbox.open()
    if (!this.#mayOpen) return
    this.#link.open()
    if (this.isPaused) this.#record.note({ kind: 'closed' }, { reason: PAUSED, until: null })
    this.#processor.start()
  }

  #linkChanged(change: LinkChange): void {
    this.#record.note({ kind: change.state === 'open' ? 'opened' : change.state }, reasonOf(change))
    this.#subscriptions.makePending()
    this.#commands.tick()
  }

  async #finish(): Promise<void> {
    const { heldLease } = this
    this.#link.beginEnding()
    if (heldLease.isValid() && this.state !== 'logged_out')
      await Promise.all([this.#commands.stop(FINISH_MS), this.#requests.stop(FINISH_MS)])
    if (heldLease.isValid() && this.state === 'logged_out') await this.#processor.drained(DRAIN_AFTER_LOGOUT_MS)
    await Promise.all([this.#link.close(), this.#commands.stop(0), this.#requests.stop(0), this.#processor.stop()])
    await this.#record.flushed()
    heldLease.end()
  }
}

const readBan = ({ ban }: HostedRow): Ban | null => (ban === null ? null : (JSON.parse(ban) as Ban))

function reasonOf(change: LinkChange): LinkTrouble | null {
  if (change.state === 'open') return null
  const until = (change.state === 'closed' && change.untilMs) || null
  return { reason: change.reason, until, ...(change.isBan && { isBan: true }) }
}
