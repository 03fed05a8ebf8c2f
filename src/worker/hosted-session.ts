import { makeEvent } from '../actions/make-event.ts'
import { afterLink, type LinkMemory, type LinkTurn, msToDisconnected } from '../domain/link-watch.ts'
import { aboutAutoReject } from '../domain/sealed.ts'
import type { SessionState } from '../domain/session.ts'
import { type LinkChange, type Platform, PlatformError, type PlatformSession } from '../platform/platform.ts'
import type { HostedRow } from '../store/units/hosting/hosting.ts'
import { DeviceState } from './device-state.ts'
import { Forwarder } from './forwarder.ts'
import { Inbox } from './inbox.ts'
import type { NumberNow } from './number-now.ts'
import type { HostParts } from './parts.ts'
import { CommandRunner } from './commands/command-runner.ts'
import { type Hold, LeaseLost } from './hold.ts'
import type { Execute } from './execute.ts'
import { RequestRunner } from './requests/request-runner.ts'

export interface HostedOptions {
  parts: HostParts
  platform: Platform
  row: HostedRow
  hold: Hold
  /** Waits for its turn to log in; the answer gives the turn back. */
  loginTurn: () => Promise<() => void>
  /** It has come to its end by itself: logged out, or its lease is lost. */
  onEnd: (reason: 'logged_out' | 'lost') => void
}

/** A session that runs here. */
export interface HostedSession {
  readonly hold: Hold
  state(): SessionState
  start(): Promise<void>
  /** Commands may be due. */
  wake(): void
  /** Requests may wait. */
  wakeForRequests(): void
  /** Time has passed. */
  tick(): void
  /** Its settings as they are now. */
  refresh(row: HostedRow): void
  /** Ends the link at once without a word to the customer; unless the lease is lost, what is under way may finish. */
  end(): Promise<void>
}

const FINISH_MS = 3_000
const DRAIN_AFTER_LOGOUT_MS = 5_000
const LOGIN_TURN_MS = 5_000
const CLOSE_TIMEOUT_MS = 3_000
const SUBSCRIBE_RETRY_MS = 5_000

export function createHostedSession(options: HostedOptions): HostedSession {
  const { parts, platform, hold } = options
  const { store, seal, log, config, clock } = parts
  const { sessionId } = hold
  let row = options.row
  let memory: LinkMemory = { state: row.state, downSince: row.downSince, told: row.told }
  let session: PlatformSession | undefined
  let isOpen = false
  /**
   * A device remembers its subscriptions itself, but not those of the number's earlier device, of a time without link,
   * or of a host that ended before it could make them.
   */
  let owesSubscriptions = true
  let subscribing = false
  let subscribeAfterMs = 0
  let restarting: Promise<void> | undefined
  let ending: Promise<void> | undefined
  let turns: Promise<void> = Promise.resolve()
  let giveTurnBack: () => void = () => {}

  const inbox = new Inbox(parts, hold)
  const storage = new DeviceState(parts, hold, inbox)
  const forwarder = new Forwarder({
    ...parts,
    hold,
    inbox,
    accountId: () => row.accountId,
    interpreter: { interpret: (item, signal) => requireSession().interpret(item, signal) },
  })
  const execute: Execute = (command, signal) => requireSession().execute(command, signal)
  const requests = new RequestRunner({
    parts,
    hold,
    execute,
    isLinkOpen: () => isOpen,
    restart: () => void restart().catch(failedToWrite),
    subscribeLater: () => void (owesSubscriptions = true),
    unlink: () => requireSession().unlink(),
  })
  const number: NumberNow = {
    get accountId() {
      return row.accountId
    },
    get isLinkOpen() {
      return isOpen
    },
    get downSince() {
      return memory.downSince
    },
    get paceMs() {
      return row.paceMs
    },
    get restrictedUntil() {
      return row.restrictedUntil
    },
  }
  const runner = new CommandRunner(parts, hold, number, execute)

  function requireSession(): PlatformSession {
    hold.require()
    if (session === undefined) throw new PlatformError({ kind: 'link_down', detail: 'the session is starting' })
    return session
  }

  function open(): void {
    session = platform.open({ sessionId, device: row.device }, storage, {
      onLink,
      onDropped: reason => parts.metrics.stanza('dropped', reason),
      onRestricted: untilMs => void restrict(untilMs),
      autoReject: () => (row.autoReject === 1 ? { message: openMessage(row) } : null),
    })
  }

  const openMessage = ({ autoRejectMessage }: HostedRow): string | null =>
    autoRejectMessage && seal.open(autoRejectMessage, aboutAutoReject(sessionId)).toString('utf8')

  function onLink(link: LinkChange): void {
    if (ending !== undefined) return
    giveTurnBack()
    isOpen = link.state === 'open'
    const reason = link.state === 'open' ? undefined : link.reason
    log.info({ session: sessionId, link: link.state, reason }, 'link.changed')
    take({ kind: link.state === 'open' ? 'opened' : link.state })
    subscribeIfOwed()
    runner.tick()
  }

  /** Turns of the link are written one after the other, each on what the one before left. */
  function take(turn: LinkTurn): void {
    turns = turns.then(() => write(turn)).catch(failedToWrite)
  }

  async function write(turn: LinkTurn): Promise<void> {
    const nowMs = clock.now().getTime()
    const { memory: next, tell, changed } = afterLink(memory, turn, nowMs, config.disconnectGraceMs)
    if (!changed) return
    const event =
      tell &&
      makeEvent(parts, row.accountId, {
        kind: 'connection',
        session_id: sessionId,
        event: tell,
        timestamp_unix: Math.floor(nowMs / 1000),
      })
    memory = next
    await hold.commit(() => store.hosting.recordLink({ lease: hold.lease, memory: next, event }))
    if (tell !== null) log.info({ session: sessionId, event: tell }, 'event.published')
    if (next.state === 'logged_out') options.onEnd('logged_out')
  }

  function failedToWrite(error: unknown): void {
    if (!(error instanceof LeaseLost)) log.error({ session: sessionId, err: error }, 'link.unrecorded')
    if (!hold.lasts()) options.onEnd('lost')
  }

  async function restrict(untilMs: number): Promise<void> {
    row = { ...row, restrictedUntil: untilMs }
    log.warn({ session: sessionId, until: untilMs }, 'session.restricted')
    await store.hosting.restrictSession({ lease: hold.lease, untilMs }).catch((error: unknown) => {
      log.error({ session: sessionId, err: error }, 'session.unrecorded')
    })
  }

  function subscribeIfOwed(): void {
    if (!isOpen || !owesSubscriptions || subscribing || parts.clock.monotonicMs() < subscribeAfterMs) return
    owesSubscriptions = false
    subscribing = true
    void subscribeAnew().finally(() => (subscribing = false))
  }

  async function subscribeAnew(): Promise<void> {
    try {
      for (const contactJid of await store.hosting.readSubscriptions(sessionId)) {
        const timeout = AbortSignal.timeout(config.ackTimeoutMs)
        await requireSession().execute({ kind: 'presence_subscribe', contactJid, unlessMade: true }, timeout)
      }
    } catch (error) {
      owesSubscriptions = true
      subscribeAfterMs = parts.clock.monotonicMs() + SUBSCRIBE_RETRY_MS
      log.warn({ session: sessionId, err: error }, 'subscriptions.not_made')
    }
  }

  /** Who asks while one is under way gets that one: a device is never opened twice. */
  function restart(): Promise<void> {
    // Not in this turn: closing the link lets commands run, and one of them may ask again.
    restarting ??= Promise.resolve()
      .then(reopen)
      .finally(() => (restarting = undefined))
    return restarting
  }

  async function reopen(): Promise<void> {
    const before = session
    // It is about to be opened for the first time.
    if (before === undefined) return
    onLink({ state: 'closed', reason: 'restart was asked for' })
    await before.close()
    if (ending === undefined && hold.lasts()) open()
  }

  async function finish(): Promise<void> {
    giveTurnBack()
    if (hold.lasts() && memory.state !== 'logged_out')
      await Promise.all([runner.stop(FINISH_MS), requests.stop(FINISH_MS)])
    if (hold.lasts() && memory.state === 'logged_out') await forwarder.drained(DRAIN_AFTER_LOGOUT_MS)
    isOpen = false
    await Promise.all([close(), runner.stop(0), requests.stop(0), forwarder.stop()])
    await turns
    hold.end()
  }

  async function close(): Promise<void> {
    if (session === undefined) return
    const closed = session.close().catch((error: unknown) => {
      log.warn({ session: sessionId, err: error }, 'session.not_closed')
    })
    await Promise.race([closed, clock.sleep(CLOSE_TIMEOUT_MS)])
  }

  return {
    hold,
    state: () => memory.state,
    start: async () => {
      giveTurnBack = await options.loginTurn()
      if (ending !== undefined || !hold.lasts()) return giveTurnBack()
      setTimeout(() => giveTurnBack(), LOGIN_TURN_MS).unref()
      await inbox.open()
      if (ending !== undefined || !hold.lasts()) return giveTurnBack()
      open()
      runner.start()
      requests.wake()
      forwarder.start()
    },
    wake: () => runner.wake(),
    wakeForRequests: () => requests.wake(),
    tick: () => {
      if (ending !== undefined) return
      if (!hold.lasts()) return options.onEnd('lost')
      if (msToDisconnected(memory, clock.now().getTime(), config.disconnectGraceMs) === 0) take({ kind: 'waited' })
      subscribeIfOwed()
      runner.tick()
    },
    refresh: next => {
      row = next
    },
    end: () => {
      ending ??= finish()
      return ending
    },
  }
}
