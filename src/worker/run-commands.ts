import { setMaxListeners } from 'node:events'
import { jidKind } from '../domain/jid.ts'
import type { FailureReason } from '../domain/message.ts'
import { hasWaitedOut, LINK_WAIT_MS } from '../domain/send-retry.ts'
import type { DueCommand } from '../store/units/commands/command-queue.ts'
import { createCommandLanes, type Lane } from './command-lanes.ts'
import { createPace } from './pace.ts'
import type { HostParts } from './parts.ts'
import { type Attempted, attemptMessage, type Execute, failed } from './run-message.ts'
import { type Hold, LeaseLost } from './hold.ts'

export interface RunnerOptions {
  parts: HostParts
  hold: Hold
  execute: Execute
  isLinkOpen: () => boolean
  /** Whose number it is. */
  accountId: () => string
  /** `null` while the link is up. */
  downSince: () => number | null
  settings: () => { paceMs: number; restrictedUntil: number | null }
}

/** Runs a session's commands: those of one recipient one after the other, of different ones side by side. */
export interface CommandRunner {
  /** Something may be due. */
  wake(): void
  /** The link is up, or time has passed. */
  tick(): void
  /** Begins nothing more; waits so long for what is under way, then leaves it to whoever comes next. */
  stop(graceMs: number): Promise<void>
}

const SIDE_BY_SIDE = 16
const READ_AHEAD = 128
/** A burst of wake-ups is one read. */
const READ_PAUSE_MS = 10
const LINK_RECHECK_MS = 200
const COLD_RECHECK_MS = 5_000
const BROKEN_RETRY_MS = 1_000

export function createCommandRunner(options: RunnerOptions): CommandRunner {
  const { parts, hold, execute, isLinkOpen } = options
  const { store, log, metrics } = parts
  const { monotonicMs } = parts.clock
  const { sessionId } = hold
  const lanes = createCommandLanes()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const running = new Set<Promise<void>>()
  /** When a command's link was lost under it for the first time. */
  const lostSince = new Map<string, number>()
  let underWay = 0
  let reading = false
  let dirty = false
  /** The store has due commands that were left out. */
  let more = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const pace = createPace(() => options.settings().paceMs, monotonicMs)

  const mayRun = (): boolean => !stopped && hold.lasts()

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost) && !stopping.signal.aborted) {
          log.error({ session: sessionId, err: error }, 'command.broke')
        }
      })
      .finally(() => running.delete(tracked))
    running.add(tracked)
  }

  /** Reads what is due. While there is enough to do, messages wait in the store. */
  async function read(): Promise<void> {
    if (reading) return
    reading = true
    try {
      while (dirty && mayRun()) {
        dirty = false
        if (lanes.ready(monotonicMs()) >= SIDE_BY_SIDE) more = true
        else await readAhead()
        pump()
        await parts.clock.sleep(READ_PAUSE_MS)
      }
    } catch (error) {
      log.warn({ session: sessionId, err: error }, 'commands could not be read')
    } finally {
      reading = false
    }
  }

  async function readAhead(): Promise<void> {
    const exceptQueues = lanes.crowded(monotonicMs())
    const due = await store.commands.readDueCommands({
      sessionId,
      exceptQueues,
      exceptIds: lanes.ids(),
      limit: READ_AHEAD,
    })
    const fits = lanes.add(due)
    more = !fits || due.length === READ_AHEAD || exceptQueues.length > 0
  }

  function pump(): void {
    const nowMs = monotonicMs()
    let wakeAtMs = Number.POSITIVE_INFINITY
    for (const lane of lanes.lanes()) {
      const head = lane.waiting[0]
      if (!mayRun() || head === undefined || lane.busy) continue
      if (head.accountId !== options.accountId()) refuse(lane, head, 'SEND_FAILED', 'the number has moved')
      else if (lane.notBeforeMs > nowMs) wakeAtMs = Math.min(wakeAtMs, lane.notBeforeMs)
      else if (!isLinkOpen()) giveUpWhenWaitedOut(lane, head)
      else if (underWay >= SIDE_BY_SIDE) continue
      else if (pace.nextMs() > nowMs) wakeAtMs = Math.min(wakeAtMs, pace.nextMs())
      else {
        pace.begin(head.id)
        start(lane, head, isRestrictedFor(lane) ? sendUnlessCold : send)
      }
    }
    clearTimeout(timer)
    if (wakeAtMs < Number.POSITIVE_INFINITY && mayRun()) timer = setTimeout(pump, Math.max(1, wakeAtMs - nowMs))
  }

  function start<D extends DueCommand>(lane: Lane, due: D, run: (lane: Lane, due: D) => Promise<void>): void {
    lane.busy = true
    track(
      run(lane, due).catch((error: unknown) => {
        pace.release(due.id)
        pause(lane, BROKEN_RETRY_MS)
        throw error
      }),
    )
  }

  const paced: Execute = (command, signal) => {
    if (pace.left()) pump()
    return execute(command, signal)
  }

  async function send(lane: Lane, due: DueCommand): Promise<void> {
    const begun = monotonicMs()
    underWay++
    let attempted: Attempted
    try {
      attempted = await attemptMessage(parts, hold, due, paced, stopping.signal)
    } catch (error) {
      lane.busy = false
      throw error
    } finally {
      underWay--
      pace.release(due.id)
    }
    const outcome = attempted.next === 'ended' ? attempted.outcome : attempted.next
    metrics.command(due.kind, outcome)
    log.info(
      {
        session: sessionId,
        command: due.id,
        kind: due.kind,
        message: due.messageId,
        attempt: due.attempt + 1,
        outcome,
        ms: Math.round(monotonicMs() - begun),
      },
      'command.executed',
    )
    await settle(lane, due, attempted)
  }

  /** The lane goes on as soon as the platform has acknowledged; that is written meanwhile. */
  async function settle(lane: Lane, due: DueCommand, attempted: Attempted): Promise<void> {
    switch (attempted.next) {
      case 'ended':
        // A follow-up of a message that failed has to find it so.
        if (attempted.outcome !== 'sent') await attempted.commit()
        lanes.leave(lane, due)
        pump()
        if (attempted.outcome === 'sent') await attempted.commit()
        forget(due)
        break
      case 'gone':
        lanes.leave(lane, due)
        forget(due)
        break
      case 'retry':
        due.attempt++
        pause(lane, attempted.delayMs)
        break
      case 'wait_for_link':
        if (hasLostLinkForLong(due)) return refuse(lane, due, 'RETRIES_EXHAUSTED', 'the link was lost again and again')
        pause(lane, LINK_RECHECK_MS)
        break
      default: {
        const never: never = attempted
        return never
      }
    }
    pump()
    if (more && lanes.ready(monotonicMs()) < SIDE_BY_SIDE) wake()
  }

  function forget(due: DueCommand): void {
    lostSince.delete(due.id)
    lanes.forget(due)
  }

  /** A message that costs the number its link each time it is sent must not do so for ever. */
  function hasLostLinkForLong(due: DueCommand): boolean {
    const nowMs = parts.clock.now().getTime()
    const sinceMs = lostSince.get(due.id) ?? nowMs
    lostSince.set(due.id, sinceMs)
    return nowMs - sinceMs >= LINK_WAIT_MS
  }

  function pause(lane: Lane, ms: number): void {
    lane.busy = false
    lane.notBeforeMs = monotonicMs() + ms
  }

  function giveUpWhenWaitedOut(lane: Lane, due: DueCommand): void {
    if (!hasWaitedOut(due.dueAt, options.downSince(), parts.clock.now().getTime())) return
    refuse(lane, due, 'RETRIES_EXHAUSTED', 'the link was down for 10 minutes')
  }

  /** Ends a message without an attempt. */
  function refuse(lane: Lane, due: DueCommand, reason: FailureReason, detail: string): void {
    start(lane, due, () => settle(lane, due, failed(parts, hold, due, reason, detail)))
  }

  const isRestrictedFor = (lane: Lane): boolean => {
    const { restrictedUntil } = options.settings()
    const kind = jidKind(lane.name)
    return (kind === 'user' || kind === 'lid') && (restrictedUntil ?? 0) > parts.clock.now().getTime()
  }

  /** While the number may not write to strangers, messages to those wait. */
  async function sendUnlessCold(lane: Lane, due: DueCommand): Promise<void> {
    if (await store.inbox.hasWritten({ sessionId, chatJid: lane.name })) return await send(lane, due)
    pace.release(due.id)
    const leftMs = (options.settings().restrictedUntil ?? 0) - parts.clock.now().getTime()
    pause(lane, Math.min(COLD_RECHECK_MS, Math.max(leftMs, LINK_RECHECK_MS)))
    pump()
  }

  function wake(): void {
    dirty = true
    if (mayRun()) void read()
  }

  return {
    wake,
    tick: pump,
    stop: async graceMs => {
      stopped = true
      clearTimeout(timer)
      const until = monotonicMs() + graceMs
      while (running.size > 0 && monotonicMs() < until && hold.lasts()) await parts.clock.sleep(10)
      stopping.abort()
      await Promise.all(running)
    },
  }
}
