import { setMaxListeners } from 'node:events'
import { heartbeatMs } from '../domain/lease-owner-watch.ts'
import { collectGarbage } from '../runtime/collect-garbage.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { aborted } from '../role.ts'
import type { TakenSession } from '../store/hosting/hosting.ts'
import { failUnhosted } from './unhosted-commands.ts'
import { Heartbeat } from './heartbeat.ts'
import { HostedNumbers, type NumbersDeps } from './hosted-numbers.ts'
import { processUnhosted } from './inbox/unhosted-inbox.ts'
import { Pairings } from './pairings/pairings.ts'
import { cleanUpSessions } from '../maintenance/session-retention.ts'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** While a number waits for time to pass, or a pairing for its phone. */
const BUSY_TICK_MS = 250
/** While no number waits for time to pass. */
const IDLE_TICK_MS = 2_000
/** Notifications wake a host, and this is for those that were lost. */
const POLL_MS = 1_000
/** While a number has scheduled messages: each is sent within a second of its time. */
const DUE_POLL_MS = 500
const UNHOSTED_POLL_MS = 2_000
const SAMPLE_MS = 2_000
const RETENTION_MS = 600_000
/** The garbage of logins is freed once this many more numbers are connected, in a thread that is busy less than this. */
const [WORTH_COLLECTING, IDLE_SHARE] = [1.1, 0.2]

type NetworkDeps = Omit<NumbersDeps, 'leaseDeadline' | 'onLinkChange' | 'onWaitingCommands'>

/** Runs numbers of one network until it is stopped, then hands them over. */
export class Host {
  readonly #deps: NetworkDeps
  readonly #heartbeat: Heartbeat
  readonly #numbers: HostedNumbers
  readonly #pairings: Pairings
  readonly #busy = new BusyShare()
  readonly #ticking: RepeatingTask
  readonly #polling: RepeatingTask
  readonly #taking: RepeatingTask
  readonly #pairing: RepeatingTask
  /** Whether due commands are polled often. */
  #areCommandsWaiting = false
  #connected = 0
  #connectedAtCollection = 0

  constructor(deps: NetworkDeps) {
    this.#deps = deps
    this.#heartbeat = new Heartbeat(deps)
    this.#numbers = new HostedNumbers({
      ...deps,
      leaseDeadline: () => this.#heartbeat.leaseDeadline,
      onLinkChange: () => this.#ticking.runSoon(),
      onWaitingCommands: () => this.#areCommandsWaiting || this.#polling.runSoon(),
    })
    const onLinked = (taken: TakenSession): void => this.#linked(taken)
    this.#pairings = new Pairings({ ...deps, onLinked })
    // A separate loop, so that a link whose lease is over ends on time even while the database is unreachable.
    this.#ticking = this.#every('numbers.tick', this.#tickMs, async () => this.#numbers.tick())
    this.#polling = this.#every('numbers.poll', this.#duePollMs, () => this.#numbers.wakeDue(true))
    this.#taking = this.#every('numbers.take', this.#pollMs, () => this.#numbers.take())
    this.#pairing = this.#every('pairings.poll', this.#pairingPollMs, () => this.#pollPairings())
  }

  readonly #reconcileMs = (): number =>
    this.#deps.store.signals.pollDelayMs(2 * heartbeatMs(this.#deps.config.leaseTtlMs))

  readonly #heartbeatMs = (): number => this.#heartbeat.delayMs
  readonly #pollMs = (): number => this.#deps.store.signals.pollDelayMs(POLL_MS)
  readonly #sampleMs = (): number => this.#deps.store.signals.restMs(SAMPLE_MS)
  readonly #unhostedPollMs = (): number => Math.max(UNHOSTED_POLL_MS, this.#pollMs())
  readonly #idleTickMs = (): number => this.#deps.store.signals.restMs(IDLE_TICK_MS)
  readonly #tickMs = (): number => (this.#numbers.areAllConnected ? this.#idleTickMs() : BUSY_TICK_MS)
  readonly #pairingPollMs = (): number => (this.#pairings.areRunning ? BUSY_TICK_MS : this.#pollMs())
  readonly #duePollMs = (): number => {
    this.#areCommandsWaiting = this.#numbers.haveWaitingCommands
    return this.#areCommandsWaiting ? DUE_POLL_MS : this.#idleTickMs()
  }

  isReady(): boolean {
    return this.#heartbeat.leaseDeadline !== undefined
  }

  async run(signal: AbortSignal): Promise<void> {
    // Every loop adds a listener.
    setMaxListeners(0, signal)
    const working = Promise.all(this.#loops(signal).map(loop => loop.run(signal)))
    const stopListening = this.#listen()
    await aborted(signal)
    stopListening()
    await working
    await this.#handOverAll()
  }

  #loops(signal: AbortSignal): RepeatingTask[] {
    return [
      this.#ticking,
      this.#polling,
      this.#taking,
      this.#pairing,
      this.#every('host.heartbeat', this.#heartbeatMs, () => this.#recordHeartbeat()),
      this.#every('numbers.reconcile', this.#reconcileMs, () => this.#numbers.reconcile()),
      this.#every('numbers.poll_all', this.#pollMs, () => this.#numbers.wakeDue(false)),
      this.#every('unhosted.fail', this.#unhostedPollMs, () => failUnhosted(this.#deps)),
      this.#every('unhosted.process', this.#unhostedPollMs, () => this.#processUnhosted(signal)),
      this.#every('metrics.sample', this.#sampleMs, () => this.#sampleMetrics()),
      this.#every('sessions.cleanup', RETENTION_MS, () => this.#runRetention(signal)),
    ]
  }

  /** A hand-over may take long: the next heartbeat does not wait for it. */
  async #recordHeartbeat(): Promise<void> {
    const wasFresh = this.#heartbeat.leaseDeadline?.isFresh()
    // Links whose lease is over end before the heartbeat frees their numbers for other hosts.
    if (this.#heartbeat.leaseDeadline?.isValid() === false) this.#numbers.tick()
    const heartbeat = await this.#heartbeat.record()
    if (heartbeat.isNew) this.#ticking.runSoon()
    if (!wasFresh) {
      // Only now may it take numbers and pairings.
      this.#taking.runSoon()
      this.#pairing.runSoon()
    }
    void this.#numbers.handOverSurplus(heartbeat)
  }

  /** Only with a fresh lease deadline: this host takes the number of a phone that accepts. */
  async #pollPairings(): Promise<void> {
    if (this.#heartbeat.leaseDeadline?.isFresh()) await this.#pairings.poll(this.#numbers.hasRoom)
  }

  #linked(taken: TakenSession): void {
    const { leaseDeadline } = this.#heartbeat
    if (leaseDeadline !== undefined) this.#numbers.host(taken, leaseDeadline)
  }

  async #processUnhosted(signal: AbortSignal): Promise<void> {
    const { leaseDeadline } = this.#heartbeat
    if (leaseDeadline !== undefined) await processUnhosted(this.#deps, leaseDeadline, signal)
  }

  #listen(): () => void {
    const { signals } = this.#deps.store
    const listening = [
      signals.on('commands', ({ sessionId, fresh }) => this.#numbers.get(sessionId)?.commandsAdded(fresh)),
      signals.on('requests', ({ sessionId }) => this.#numbers.get(sessionId)?.wakeForRequests()),
      signals.on('sessions', ({ sessionId }) => this.#sessionChanged(sessionId)),
      signals.on('pairings', () => this.#pairing.runSoon()),
      signals.on('hosts', () => {
        this.#taking.runSoon()
        this.#pairing.runSoon()
      }),
    ]
    return () => listening.forEach(stop => stop())
  }

  #sessionChanged(sessionId: string): void {
    const { log, identity } = this.#deps
    if (this.#numbers.get(sessionId) === undefined) return this.#taking.runSoon()
    void this.#numbers.refresh([sessionId]).catch((error: unknown) => {
      // The next reconcile reads it.
      log.warn({ session: sessionId, owner: identity.id, err: error }, 'session.refresh_failed')
    })
  }

  async #sampleMetrics(): Promise<void> {
    const [counts, busy] = [this.#numbers.counts(), this.#busy.sinceLast()]
    this.#deps.metrics.sessions(counts, busy)
    if (busy < IDLE_SHARE && counts.connected === this.#connected) this.#freeGarbageOfLogins()
    this.#connected = counts.connected
  }

  /** Called while no number logs in. */
  #freeGarbageOfLogins(): void {
    if (this.#connected > this.#connectedAtCollection * WORTH_COLLECTING) collectGarbage()
    this.#connectedAtCollection = this.#connected
  }

  async #runRetention(signal: AbortSignal): Promise<void> {
    const { store, identity } = this.#deps
    while (!signal.aborted && (await store.retention.dropExpiredHosting()));
    await cleanUpSessions(this.#deps, identity.id, signal)
  }

  async #handOverAll(): Promise<void> {
    const { store, log, identity } = this.#deps
    await Promise.all([this.#pairings.stop(), this.#numbers.handOverAll()])
    // A phone may have accepted meanwhile.
    await this.#numbers.handOverAll()
    await store.leases.endLeaseOwner({ id: identity.id }).catch((error: unknown) => {
      log.warn({ owner: identity.id, err: error }, 'host.end_failed')
    })
  }

  /** Runs at this interval; if a run takes longer, the next one follows immediately. */
  #every(name: string, interval: number | (() => number), work: () => Promise<void>): RepeatingTask {
    const { clock } = this.#deps
    const run = async (): Promise<number> => {
      const begunMs = clock.monotonicMs()
      await work()
      const intervalMs = typeof interval === 'number' ? interval : interval()
      return Math.max(0, intervalMs - (clock.monotonicMs() - begunMs))
    }
    return new RepeatingTask(this.#deps, name, run, POLL_MS)
  }
}

/** The share of its time in which this thread is busy. */
class BusyShare {
  #before: EventLoopUtilization = performance.eventLoopUtilization()

  sinceLast(): number {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#before)
    this.#before = now
    return utilization
  }
}
