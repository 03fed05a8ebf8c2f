import { WakeSignal } from '../../runtime/wake-signal.ts'
import { hasLostLinkForLong } from '../../domain/send-retry.ts'
import { withoutRedaction } from '../../observability/log.ts'
import type { Store } from '../../store/store.ts'
import type { DueCommand, DueSend } from '../../domain/command.ts'
import type { Execute } from '../execute.ts'
import { type HeldLease, LeaseLost } from '../held-lease.ts'
import type { NumberState } from '../number-state.ts'
import type { HostDeps } from '../deps.ts'
import type { SentMessages } from '../sent-messages.ts'
import type { SentMessage } from '../../store/messages/sent-messages.ts'
import { TaskGroup } from '../task-group.ts'
import { attemptCommand, type Attempted, outcomeOf, tracedAttempt, type Traced } from './attempt-command.ts'
import type { ChatQueue } from './chat-queue.ts'
import { ChatQueues } from './chat-queues.ts'
import { type CommandEnd, failed, recordEnd, targetOver } from './command-end.ts'
import { CommandReader } from './command-reader.ts'
import { nextStep, type Situation, strangerWaitMs } from './next-step.ts'
import { Pace } from './pace.ts'

const BROKEN_RETRY_MS = 1_000
const LINK_RECHECK_MS = 200
/** Commands that the platform has not acknowledged yet. */
const MAX_UNACKNOWLEDGED = 16
const LINK_LOST_AGAIN = { reason: 'RETRIES_EXHAUSTED', detail: 'the connection was lost repeatedly' } as const

type RunnerDeps = Omit<HostDeps, 'store'> & {
  store: Pick<Store, 'commands' | 'inbox' | 'messages' | 'traces'>
  sentMessages: SentMessages
  onWaitingCommands: () => void
}

/** Runs a number's commands: read → queue → attempt → record. Commands of one chat run in order, chats run concurrently. */
export class CommandRunner {
  readonly #deps: RunnerDeps
  readonly #heldLease: HeldLease
  readonly #number: NumberState
  readonly #link: { execute: Execute }
  readonly #queues: ChatQueues
  /** Notified when a command may begin. */
  readonly #ready = new WakeSignal()
  readonly #tasks: TaskGroup
  readonly #pace: Pace
  readonly #reader: CommandReader
  #unacknowledged = 0
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: RunnerDeps, heldLease: HeldLease, number: NumberState, link: { execute: Execute }) {
    this.#queues = new ChatQueues(deps.clock)
    this.#deps = deps
    this.#heldLease = heldLease
    this.#number = number
    this.#tasks = new TaskGroup(deps, heldLease)
    this.#pace = new Pace(deps.clock, number)
    this.#reader = new CommandReader({ ...deps, heldLease, queues: this.#queues, ready: this.#ready, number })
    this.#link = link
  }

  start(): void {
    void this.#reader.run()
    void this.#run()
    this.wake()
  }

  /** A commit has changed the commands; `fresh` are those that it added, if they are known and nothing else has changed. */
  added(fresh: DueCommand[] | undefined): void {
    this.#reader.added(fresh)
  }

  /** The store may have commands that are not in memory. */
  get hasWaiting(): boolean {
    return !this.#reader.hasAll
  }

  /** A command may be due. */
  wake(): void {
    this.#reader.wanted.notify()
  }

  /** The link is up, or time has passed. */
  tick(): void {
    if (!this.#queues.areEmpty) this.#ready.notify()
  }

  /** Begins nothing more and waits up to `graceMs` for commands under way; the next host repeats those that are left. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    this.#reader.stop()
    this.#ready.notify()
    clearTimeout(this.#timer)
    await this.#tasks.finish(graceMs)
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#ready.wait()
      if (this.#isStopped) return
      clearTimeout(this.#timer)
      const nextMs = this.#beginAll()
      if (nextMs === Number.POSITIVE_INFINITY) continue
      this.#timer = setTimeout(() => this.#ready.notify(), Math.max(1, nextMs - this.#deps.clock.monotonicMs()))
    }
  }

  /** Whether another command may be sent before the platform acknowledges one. */
  get hasRoom(): boolean {
    return this.#unacknowledged < MAX_UNACKNOWLEDGED
  }

  /** Begins every command that may begin now and returns when the next one may. */
  #beginAll(): number {
    const { clock } = this.#deps
    const situation: Situation = {
      nowMs: clock.now().getTime(),
      monotonicMs: clock.monotonicMs(),
      number: this.#number,
      pace: this.#pace,
      inFlight: this,
    }
    let nextMs = Number.POSITIVE_INFINITY
    for (const queue of this.#queues.all()) {
      const due = queue.first
      if (due === undefined || !this.#heldLease.isValid()) continue
      const step = nextStep(due, queue.notBeforeMs, situation)
      switch (step.kind) {
        case 'wait':
          nextMs = Math.min(nextMs, step.untilMs)
          break
        case 'fail':
          this.#begin(queue, due, () => this.#finish(queue, due, failed(this.#deps, due, step)))
          break
        case 'target_over':
          this.#begin(queue, due, () => this.#finish(queue, due, targetOver(step.due)))
          break
        case 'send':
        case 'send_unless_stranger': {
          const pauseMs = this.#pace.begin(due.id)
          this.#begin(queue, due, () =>
            step.kind === 'send'
              ? this.#sendAtPace(queue, due, pauseMs)
              : this.#sendUnlessStranger(queue, due, pauseMs),
          )
          break
        }
        default: {
          const never: never = step
          return never
        }
      }
    }
    return nextMs
  }

  #begin(queue: ChatQueue, due: DueCommand, work: () => Promise<void>): void {
    queue.begin()
    this.#tasks.add(
      work().then(
        () => this.#reader.wantLeftOut(),
        (error: unknown) => this.#failed(queue, due, error),
      ),
    )
  }

  #failed(queue: ChatQueue, due: DueCommand, error: unknown): void {
    const { clock, log } = this.#deps
    this.#pace.release(due.id)
    if (queue.isBusyWith(due)) queue.wait(clock.monotonicMs() + BROKEN_RETRY_MS)
    if (error instanceof LeaseLost || this.#tasks.signal.aborted) return
    log.error({ session: due.sessionId, command: due.id, err: error }, 'command.run_failed')
  }

  async #sendUnlessStranger(queue: ChatQueue, due: DueCommand, pauseMs: number): Promise<void> {
    const { store, clock } = this.#deps
    const isKnown = await store.inbox.hasWritten({ sessionId: due.sessionId, chatJid: queue.chatJid })
    if (isKnown) return await this.#sendAtPace(queue, due, pauseMs)
    this.#pace.release(due.id)
    const waitMs = strangerWaitMs(this.#number.restrictedUntil, clock.now().getTime())
    queue.wait(clock.monotonicMs() + waitMs)
    this.#ready.notify()
  }

  /** Sends the command if the number's pace allows it now. */
  async #sendAtPace(queue: ChatQueue, due: DueCommand, pauseMs: number): Promise<void> {
    if (this.#number.pace === null) return await this.#send(queue, due)
    const admitted = await this.#admit(queue, due, pauseMs)
    switch (admitted.kind) {
      case 'admitted':
        this.#pace.isResumed = true
        return await this.#send(queue, due)
      case 'held':
        this.#deps.metrics.held(admitted.because)
        this.#queues.putOff(queue)
        this.#reader.changed()
        break
      case 'released':
        this.#queues.putOff(queue)
        this.#reader.changed()
        break
      case 'paused':
        this.#pace.resume(admitted.ms)
        queue.wait(0)
        break
      default: {
        const never: never = admitted
        return never
      }
    }
    this.#pace.release(due.id)
    this.#ready.notify()
  }

  /** It takes the place of a command that is not acknowledged yet, so that no more begin than may be sent. */
  async #admit(queue: ChatQueue, due: DueCommand, pauseMs: number) {
    const { lease } = this.#heldLease
    const { id: commandId, kind } = due
    const { chatJid, isUrgent } = queue
    const resumes = !this.#pace.isResumed
    this.#unacknowledged++
    try {
      return await this.#heldLease.commit(() =>
        this.#deps.store.commands.admitCommand({ lease, commandId, kind, chatJid, isUrgent, pauseMs, resumes }),
      )
    } finally {
      this.#unacknowledged--
    }
  }

  async #send(queue: ChatQueue, due: DueCommand): Promise<void> {
    const { attempt } = queue
    const begunMs = this.#deps.clock.monotonicMs()
    const stopping = this.#tasks.signal
    const execute: Execute = (command, signal) => {
      if (command.kind !== 'typing' && this.#pace.sent()) this.#ready.notify()
      return this.#link.execute(command, signal)
    }
    this.#unacknowledged++
    const attempted = await tracedAttempt(this.#deps, due, attempt, () =>
      attemptCommand(this.#deps, this.#heldLease, {
        due,
        attempt,
        execute,
        stopping,
        showsTyping: !this.#number.isHidden,
      }),
    ).finally(() => this.#unacknowledged--)
    this.#pace.release(due.id)
    this.#report(due, attempt, attempted, begunMs)
    await this.#afterAttempt(queue, due, attempted)
  }

  #report({ id, sessionId, kind, messageId }: DueCommand, attempt: number, attempted: Traced, begunMs: number): void {
    const { metrics, log, clock } = this.#deps
    const outcome = outcomeOf(attempted)
    const ms = Math.round(clock.monotonicMs() - begunMs)
    metrics.command(kind, outcome)
    const trace = attempted.traceId === undefined ? {} : { trace_id: attempted.traceId }
    const fields = { session: sessionId, command: id, kind, message: messageId, attempt, outcome, ms, ...trace }
    withoutRedaction(log).info(fields, 'command.executed')
  }

  async #afterAttempt(queue: ChatQueue, due: DueCommand, attempted: Attempted): Promise<void> {
    const { clock } = this.#deps
    switch (attempted.next) {
      case 'ended':
        return await this.#finish(queue, due, attempted.end)
      case 'gone':
        this.#queues.next(queue)
        this.#queues.forget(due)
        break
      case 'retry':
        queue.retry(clock.monotonicMs() + attempted.delayMs)
        break
      case 'wait_for_link': {
        const nowMs = clock.now().getTime()
        if (hasLostLinkForLong(queue.linkLost(nowMs), nowMs))
          return await this.#finish(queue, due, failed(this.#deps, due, LINK_LOST_AGAIN))
        queue.wait(clock.monotonicMs() + LINK_RECHECK_MS)
        break
      }
      default: {
        const never: never = attempted
        return never
      }
    }
    this.#ready.notify()
  }

  /** The next command of the chat begins once the platform has acknowledged this one, while the end is recorded. */
  async #finish(queue: ChatQueue, due: DueCommand, end: CommandEnd): Promise<void> {
    // A follow-up command of a message that failed must find its state in the store.
    if (end.outcome !== 'sent') await recordEnd(this.#deps, end, this.#heldLease)
    this.#queues.next(queue)
    this.#ready.notify()
    if (end.outcome === 'sent') await this.#recordSent(due, end)
    this.#queues.forget(due)
  }

  /** Remembers the message before, because receipts may come before it is recorded. */
  async #recordSent(due: DueCommand, end: CommandEnd): Promise<void> {
    const message = due.kind === 'send' ? sentMessageOf(due) : undefined
    if (message !== undefined) this.#deps.sentMessages.remember(due.sessionId, message)
    await recordEnd(this.#deps, end, this.#heldLease)
    if (message?.state === 'queued') message.state = 'sent'
  }
}

const sentMessageOf = ({ messageId, accountId, requestId, platformId, recipient }: DueSend): SentMessage => ({
  id: messageId,
  accountId,
  requestId,
  platformId,
  recipient,
  state: 'queued',
})
