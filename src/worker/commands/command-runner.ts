import { WakeSignal } from '../../runtime/wake-signal.ts'
import { withoutRedaction } from '../../observability/log.ts'
import type { Store } from '../../store/store.ts'
import type { DueCommand } from '../../store/commands/command-queue.ts'
import type { Execute } from '../execute.ts'
import { type HeldLease, LeaseLost } from '../hold.ts'
import type { NumberNow } from '../number-now.ts'
import type { HostDeps } from '../deps.ts'
import { TaskGroup } from '../task-group.ts'
import { attemptCommand, outcomeOf } from './attempt-command.ts'
import type { ChatQueue } from './chat-queue.ts'
import { ChatQueues } from './chat-queues.ts'
import { failed, targetOver } from './command-end.ts'
import { CommandReader } from './command-reader.ts'
import { InFlight } from './in-flight.ts'
import { nextStep, type Situation, strangerWaitMs } from './next-step.ts'
import { Pace } from './pace.ts'
import { settle, settleEnd, type SettleCommandDeps } from './settle-command.ts'
import { tracedAttempt, type Traced } from './traced-attempt.ts'

const BROKEN_RETRY_MS = 1_000

type RunnerDeps = Omit<HostDeps, 'store'> & { store: Pick<Store, 'commands' | 'inbox' | 'messages' | 'traces'> }

/**
 * Runs a number's commands: read → queue → attempt → record. Those of one chat run one after the other, of different
 * ones side by side.
 */
export class CommandRunner {
  readonly #deps: RunnerDeps & SettleCommandDeps
  readonly #hold: HeldLease
  readonly #number: NumberNow
  readonly #execute: Execute
  readonly #queues: ChatQueues
  readonly #inFlight = new InFlight()
  /** Rung when a command may begin. */
  readonly #ready = new WakeSignal()
  readonly #underWay: TaskGroup
  readonly #pace: Pace
  readonly #reader: CommandReader
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: RunnerDeps, hold: HeldLease, number: NumberNow, execute: Execute) {
    this.#queues = new ChatQueues(deps.clock)
    this.#deps = { ...deps, hold, queues: this.#queues, ready: this.#ready }
    this.#hold = hold
    this.#number = number
    this.#underWay = new TaskGroup(deps, hold)
    this.#pace = new Pace(deps.clock, number)
    this.#reader = new CommandReader(this.#deps)
    this.#execute = (command, signal) => {
      if (this.#pace.left()) this.#ready.ring()
      return execute(command, signal)
    }
  }

  start(): void {
    void this.#reader.run()
    void this.#run()
    this.wake()
  }

  /** Something may be due. */
  wake(): void {
    this.#reader.want()
  }

  /** The link is up, or time has passed. */
  tick(): void {
    this.#ready.ring()
  }

  /** Begins nothing more; waits so long for what is under way, then leaves it to whoever comes next. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    this.#reader.stop()
    this.#ready.ring()
    clearTimeout(this.#timer)
    await this.#underWay.finish(graceMs)
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#ready.heard()
      if (this.#isStopped) return
      clearTimeout(this.#timer)
      const nextMs = this.#beginAll()
      if (nextMs === Number.POSITIVE_INFINITY) continue
      this.#timer = setTimeout(() => this.#ready.ring(), Math.max(1, nextMs - this.#deps.clock.monotonicMs()))
    }
  }

  /** Begins whatever may begin now. Answers when the next one may. */
  #beginAll(): number {
    const { clock } = this.#deps
    const situation: Situation = {
      nowMs: clock.now().getTime(),
      monotonicMs: clock.monotonicMs(),
      number: this.#number,
      pace: this.#pace,
      inFlight: this.#inFlight,
    }
    let nextMs = Number.POSITIVE_INFINITY
    for (const queue of this.#queues.all()) {
      const due = queue.first
      if (due === undefined || !this.#hold.lasts()) continue
      const step = nextStep(due, queue.notBeforeMs, situation)
      switch (step.kind) {
        case 'wait':
          nextMs = Math.min(nextMs, step.untilMs)
          break
        case 'fail':
          this.#begin(queue, due, () => settleEnd(this.#deps, queue, due, failed(this.#deps, due, step)))
          break
        case 'target_over':
          this.#begin(queue, due, () => settleEnd(this.#deps, queue, due, targetOver(step.due)))
          break
        case 'send':
        case 'send_unless_stranger':
          this.#pace.begin(due.id)
          this.#begin(queue, due, () =>
            step.kind === 'send' ? this.#send(queue, due) : this.#sendUnlessStranger(queue, due),
          )
          break
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
    this.#underWay.add(
      work().then(
        () => this.#reader.wantLeftOut(),
        (error: unknown) => this.#broke(queue, due, error),
      ),
    )
  }

  #broke(queue: ChatQueue, due: DueCommand, error: unknown): void {
    const { clock, log } = this.#deps
    this.#pace.release(due.id)
    if (queue.isBusyWith(due)) queue.wait(clock.monotonicMs() + BROKEN_RETRY_MS)
    if (error instanceof LeaseLost || this.#underWay.signal.aborted) return
    log.error({ session: due.sessionId, command: due.id, err: error }, 'command.broke')
  }

  async #sendUnlessStranger(queue: ChatQueue, due: DueCommand): Promise<void> {
    const { store, clock } = this.#deps
    const isKnown = await store.inbox.hasWritten({ sessionId: due.sessionId, chatJid: queue.chatJid })
    if (isKnown) return await this.#send(queue, due)
    this.#pace.release(due.id)
    const waitMs = strangerWaitMs(this.#number.restrictedUntil, clock.now().getTime())
    queue.wait(clock.monotonicMs() + waitMs)
    this.#ready.ring()
  }

  async #send(queue: ChatQueue, due: DueCommand): Promise<void> {
    const { attempt } = queue
    const begunMs = this.#deps.clock.monotonicMs()
    const stopping = this.#underWay.signal
    const attempting = tracedAttempt(this.#deps, due, attempt, () =>
      attemptCommand(this.#deps, this.#hold, { due, attempt, execute: this.#execute, stopping }),
    )
    const attempted = await this.#inFlight.untilAcknowledged(attempting)
    this.#pace.release(due.id)
    this.#tell(due, attempt, attempted, begunMs)
    await settle(this.#deps, queue, due, attempted)
  }

  #tell({ id, sessionId, kind, messageId }: DueCommand, attempt: number, attempted: Traced, begunMs: number): void {
    const { metrics, log, clock } = this.#deps
    const outcome = outcomeOf(attempted)
    const ms = Math.round(clock.monotonicMs() - begunMs)
    metrics.command(kind, outcome)
    const trace = attempted.traceId === undefined ? {} : { trace_id: attempted.traceId }
    const fields = { session: sessionId, command: id, kind, message: messageId, attempt, outcome, ms, ...trace }
    withoutRedaction(log).info(fields, 'command.executed')
  }
}
