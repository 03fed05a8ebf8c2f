import type { Clock } from '../../../runtime/clock.ts'
import { randomFraction } from '../../../runtime/random.ts'
import type { LinkChange, ReleaseLoginSlot } from '../../platform.ts'
import { type DeviceState, type DeviceStateHooks, MissingCredentials } from '../device/device-state.ts'
import { afterEnding, type Backoff, STEADY_MS, waitAfter } from './backoff.ts'
import type { ClientVersions } from '../version/client-versions.ts'
import { type Connection, type ConnectionDeps, type ConnectionEvents, DeviceConnection } from './connection.ts'
import { type Ending, isOutdated } from './ending.ts'
import { type BinaryNode, getBinaryNodeChild, type WASocket } from 'baileys'
import { unixSeconds } from '../wire/numbers.ts'

/** Keeps a device connected for as long as the platform accepts it. */
export interface Link {
  /** The open connection. */
  current(): Connection | undefined
  /** There will never be a connection, so callers need not wait for one. */
  isOver?(): boolean
  state(): DeviceState | undefined
}

export interface LinkDeps {
  clock: Clock
  connection: ConnectionDeps
  versions: ClientVersions
  load(hooks: DeviceStateHooks): Promise<DeviceState>
  backoff: Backoff
  /** The platform rejects logins before this time. */
  notBeforeMs: number
  acquireLoginSlot(signal: AbortSignal): Promise<ReleaseLoginSlot>
}

export interface LinkEvents extends ConnectionEvents {
  onLink(change: LinkChange): void
}

/** When a newer version is known, all numbers log in again, each with a delay as after this many failures. */
const SPREAD = 3
/** The longest delay of a timer. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1

export class ReconnectingLink implements Link {
  readonly #deps: LinkDeps
  readonly #closing = new AbortController()
  #state: DeviceState | undefined
  #connection: DeviceConnection | undefined
  #running: Promise<void> | undefined
  #failures = 0
  #restarts = 0
  #openedAtMs: number | undefined
  #releaseLoginSlot: ReleaseLoginSlot = () => {}
  /** The revision of the web client that the last login used. */
  #revision = 0

  constructor(deps: LinkDeps) {
    this.#deps = deps
  }

  current(): Connection | undefined {
    return this.#connection?.isOpen() ? this.#connection : undefined
  }

  state(): DeviceState | undefined {
    return this.#state
  }

  /** Connects and reconnects until the platform no longer accepts the device or the link is closed. */
  keep(events: LinkEvents): void {
    this.#running ??= this.#run(events)
  }

  /** Ends permanently; nothing is written after it resolves. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#connection?.end({ kind: 'lost', reason: 'closed' })
    await this.#running
    await this.#state?.changes.idle()
    this.#state?.changes.abandon()
  }

  async #run(events: LinkEvents): Promise<void> {
    const { clock, backoff } = this.#deps
    await this.#pause(this.#deps.notBeforeMs)
    while (!this.#closing.signal.aborted) {
      const ending = await this.#connect(events)
      this.#connection = undefined
      if (this.#openedAtMs === undefined) this.#forgetRoute()
      this.#resetIfSteady()
      if (this.#closing.signal.aborted) return
      const next = afterEnding(ending, this.#restarts)
      if (ending.kind === 'restart') this.#restarts += 1
      if (next.kind === 'again') continue
      if (isOutdated(ending)) {
        await this.#waitForNewerVersion(events)
        continue
      }
      events.onLink(next.change)
      if (next.kind === 'over') return
      if (ending.kind === 'paused') {
        await this.#pause(ending.untilMs)
        continue
      }
      const waitMs = waitAfter(ending.kind, this.#failures, backoff, randomFraction())
      this.#failures += 1
      await clock.sleep(waitMs, this.#closing.signal)
    }
  }

  /** Waits for this number's slot to log in, then runs one connection to its end. */
  async #connect(events: LinkEvents): Promise<Ending> {
    const { signal } = this.#closing
    this.#releaseLoginSlot = await this.#deps.acquireLoginSlot(signal)
    const ending = await this.#logIn(events)
    const isUnanswered = ending.kind === 'lost' || ending.kind === 'busy' || ending.kind === 'proxy'
    this.#releaseLoginSlot(isUnanswered ? 'unanswered' : 'answered')
    return ending
  }

  async #logIn(events: LinkEvents): Promise<Ending> {
    try {
      const state = await this.#load()
      if (this.#closing.signal.aborted) return { kind: 'lost', reason: 'closed' }
      this.#connection = this.#dial(state, events)
      return await this.#connection.ended
    } catch (error) {
      if (error instanceof MissingCredentials) return { kind: 'logged_out', reason: error.message }
      return { kind: 'lost', reason: 'the state of the device could not be read' }
    }
  }

  #dial(state: DeviceState, events: LinkEvents): DeviceConnection {
    const { connection: deps, versions } = this.#deps
    const { revision } = versions.current
    this.#revision = revision
    const config = { ...deps.config, version: versions.forLibrary }
    const connection = new DeviceConnection(
      state,
      { ...deps, config },
      { ...events, onOpen: opened => this.#opened(opened, events) },
    )
    onExpiration(connection.sock, atMs => versions.expires(revision, atMs))
    return connection
  }

  /** Tries one login with each new version: after a rejection of the newest it waits for the next. */
  async #waitForNewerVersion(events: LinkEvents): Promise<void> {
    const { versions, clock, backoff } = this.#deps
    if (await versions.findNewer(this.#revision)) return
    if (this.#closing.signal.aborted) return
    events.onLink({ state: 'closed', kind: 'refused', reason: versions.whyRefused, isOutdated: true })
    await versions.waitForNewer(this.#revision, this.#closing.signal)
    // All numbers learn of it at the same time.
    await clock.sleep(waitAfter('lost', SPREAD, backoff, randomFraction()), this.#closing.signal)
  }

  #opened(connection: Connection, events: LinkEvents): void {
    this.#openedAtMs = this.#deps.clock.monotonicMs()
    this.#releaseLoginSlot('answered')
    events.onLink({ state: 'open' })
    events.onOpen(connection)
  }

  /** The stored routing info may be out of date, and with a wrong one every later login would fail. */
  #forgetRoute(): void {
    const { auth, changes } = this.#state ?? {}
    if (auth?.creds.routingInfo === undefined || changes === undefined || changes.hasEnded()) return
    auth.creds.routingInfo = undefined
    changes.add({ creds: true })
  }

  /** Only a link that stayed open long enough resets the failures. */
  #resetIfSteady(): void {
    const { clock, backoff } = this.#deps
    const openMs = this.#openedAtMs === undefined ? 0 : clock.monotonicMs() - this.#openedAtMs
    this.#openedAtMs = undefined
    if (openMs < (backoff.steadyMs ?? STEADY_MS)) return
    this.#failures = 0
    this.#restarts = 0
  }

  async #pause(untilMs: number): Promise<void> {
    const { clock } = this.#deps
    for (let leftMs = untilMs - clock.now().getTime(); leftMs > 0 && !this.#closing.signal.aborted; ) {
      await clock.sleep(Math.min(leftMs, LONGEST_SLEEP_MS), this.#closing.signal)
      leftMs = untilMs - clock.now().getTime()
    }
  }

  async #load(): Promise<DeviceState> {
    if (this.#state && !this.#state.changes.hasEnded()) return this.#state
    // A commit that is under way may still succeed.
    await this.#state?.changes.idle()
    this.#state = await this.#deps.load({
      onCommitted: () => this.#connection?.release(),
      onFailure: () => this.#connection?.end({ kind: 'lost', reason: 'the state of the device could not be written' }),
    })
    return this.#state
  }
}

/** Reports until when the platform accepts the version of this connection; `null` revokes an earlier report. */
function onExpiration(sock: Pick<WASocket, 'ws'>, report: (atMs: number | null) => void): void {
  sock.ws.on('CB:ib,,client_expiration', (stanza: BinaryNode) => {
    const t = getBinaryNodeChild(stanza, 'client_expiration')?.attrs.t
    const seconds = unixSeconds(t)
    if (t === undefined) report(null)
    else if (seconds !== undefined) report(seconds * 1_000)
  })
}
