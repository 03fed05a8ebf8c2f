import type { DueCommand } from '../../domain/command.ts'
import { WakeSignal } from '../../runtime/wake-signal.ts'
import type { Store } from '../../store/store.ts'
import type { HeldLease } from '../held-lease.ts'
import type { HostDeps } from '../deps.ts'
import type { NumberState } from '../number-state.ts'
import type { ChatQueues } from './chat-queues.ts'

const READ_AHEAD = 128
/** While this many chats could begin a command, the others wait in the store. */
const ENOUGH = 16
/** A burst of wake-ups is one read. */
const READ_PAUSE_MS = 10

interface ReaderDeps extends Pick<HostDeps, 'clock' | 'log'> {
  store: Pick<Store, 'commands'>
  heldLease: HeldLease
  queues: ChatQueues
  /** Notified when commands were read. */
  ready: WakeSignal
  number: Pick<NumberState, 'pace'>
  /** The store may have commands that become due later. */
  onWaitingCommands: () => void
}

/** Reads a number's due commands into memory. */
export class CommandReader {
  readonly #deps: ReaderDeps
  /** Notified when a command may be due. */
  readonly wanted = new WakeSignal()
  #isStopped = false
  /** The store has due commands that were not read. */
  #hasLeftOut = false
  /** All commands of the store are in memory, so that a new one can be added without a read. */
  #hasAll = false
  /** A commit has changed the commands since the last read began. */
  #isOutdated = false

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  /** A commit has changed the commands; `fresh` are those that it added, if they are known and nothing else has changed. */
  added(fresh: DueCommand[] | undefined): void {
    if (fresh === undefined || !this.#hasAll || this.#isEnough()) return this.changed()
    this.#hasAll = this.#deps.queues.add(fresh)
    this.#hasLeftOut ||= !this.#hasAll
    this.#deps.ready.notify()
  }

  get hasAll(): boolean {
    return this.#hasAll
  }

  /** The store has made commands due later, or due again. */
  changed(): void {
    this.#hasAll = false
    this.#isOutdated = true
    this.wanted.notify()
  }

  /** A command has ended: one that was left out may begin. */
  wantLeftOut(): void {
    if (this.#hasLeftOut && !this.#isEnough()) this.wanted.notify()
  }

  stop(): void {
    this.#isStopped = true
    this.wanted.notify()
  }

  /** Reads whenever it is notified, until it is stopped. */
  async run(): Promise<void> {
    const { heldLease, clock, log, ready, onWaitingCommands } = this.#deps
    for (;;) {
      await this.wanted.wait()
      if (this.#isStopped) return
      if (!heldLease.isValid()) continue
      await this.#read().catch((error: unknown) => {
        log.warn({ session: heldLease.sessionId, err: error }, 'commands.read_failed')
      })
      ready.notify()
      if (!this.#hasAll) onWaitingCommands()
      await clock.sleep(READ_PAUSE_MS)
    }
  }

  async #read(): Promise<void> {
    const { store, clock, heldLease, queues, number } = this.#deps
    this.#hasLeftOut = true
    this.#hasAll = false
    // Between the messages of a number with a pace is time to read one of high priority.
    const isEnough = this.#isEnough()
    if (isEnough && number.pace === null) return
    this.#isOutdated = false
    // Before the due ones are read, so that a command that becomes due in between is in one of both.
    const { hasLater, urgentQueues } = await store.commands.lookAhead(heldLease.sessionId)
    if (urgentQueues.length > 0) await this.#readUrgent(urgentQueues)
    if (isEnough) return
    const exceptQueues = queues.crowded(clock.monotonicMs())
    const due = await store.commands.readDueCommands({
      sessionId: heldLease.sessionId,
      exceptQueues,
      exceptIds: queues.ids(),
      limit: READ_AHEAD,
    })
    const fits = queues.add(due)
    this.#hasLeftOut = !fits || due.length === READ_AHEAD || exceptQueues.length > 0
    this.#hasAll = !this.#hasLeftOut && !hasLater && !this.#isOutdated
  }

  /** A message of high priority brings the earlier ones of its chat along. */
  async #readUrgent(urgentQueues: string[]): Promise<void> {
    const { store, clock, heldLease, queues } = this.#deps
    const crowded = new Set(queues.crowded(clock.monotonicMs()))
    const onlyQueues = urgentQueues.filter(queue => !crowded.has(queue))
    const due = await store.commands.readDueCommands({
      sessionId: heldLease.sessionId,
      exceptQueues: [],
      exceptIds: queues.ids(),
      onlyQueues,
      limit: READ_AHEAD,
    })
    queues.add(due)
    queues.markUrgent(urgentQueues)
  }

  #isEnough(): boolean {
    return this.#deps.queues.ready(this.#deps.clock.monotonicMs()) >= ENOUGH
  }
}
