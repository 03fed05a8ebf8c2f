import { setMaxListeners } from 'node:events'
import { beatMs } from '../domain/holder.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { aborted } from '../role.ts'
import { Semaphore } from '../runtime/semaphore.ts'
import type { TakenSession } from '../store/hosting/hosting.ts'
import { failUnhosted } from './unhosted-commands.ts'
import { BusyShare } from './busy-share.ts'
import { Heartbeat } from './heartbeat.ts'
import { HostedNumbers, type NumbersDeps } from './hosted-numbers.ts'
import { forwardUnhosted } from './inbox/unhosted-inbox.ts'
import { Pairings } from './pairings/pairings.ts'
import { cleanUpSessions } from '../maintenance/session-retention.ts'

const TICK_MS = 250
const LOOK_FOR_DUE_MS = 500
const LOOK_FOR_UNHOSTED_MS = 2_000
const SWEEP_MS = 600_000

type NetworkDeps = Omit<NumbersDeps, 'tenure' | 'suspects'>

/** Runs the numbers of one network until it is told to stop, then hands them over. */
export class Host {
  readonly #deps: NetworkDeps
  readonly #heartbeat: Heartbeat
  readonly #numbers: HostedNumbers
  readonly #pairings: Pairings
  readonly #busy = new BusyShare()
  readonly #suspects = new Semaphore(1)
  readonly #taking: RepeatingTask
  readonly #pairing: RepeatingTask

  constructor(deps: NetworkDeps) {
    this.#deps = deps
    this.#heartbeat = new Heartbeat(deps)
    this.#numbers = new HostedNumbers({ ...deps, suspects: this.#suspects, tenure: () => this.#heartbeat.tenure })
    const onLinked = (taken: TakenSession): void => this.#linked(taken)
    this.#pairings = new Pairings({ ...deps, onLinked })
    this.#taking = this.#every('numbers.take', TICK_MS, () => this.#numbers.take())
    this.#pairing = this.#every('pairings.look', TICK_MS, () => this.#lookForPairings())
  }

  isReady(): boolean {
    return this.#heartbeat.tenure !== undefined
  }

  async run(signal: AbortSignal): Promise<void> {
    // Every loop listens to it.
    setMaxListeners(0, signal)
    const working = Promise.all(this.#loops(signal).map(loop => loop.run(signal)))
    const stopListening = this.#listen()
    await aborted(signal)
    stopListening()
    await working
    await this.#handOver()
  }

  #loops(signal: AbortSignal): RepeatingTask[] {
    return [
      // By itself: a link whose hold is over ends on time, also where the database does not answer.
      this.#every('numbers.tick', TICK_MS, async () => this.#numbers.tick()),
      this.#taking,
      this.#pairing,
      this.#every('host.beat', beatMs(this.#deps.config.leaseTtlMs), () => this.#beat()),
      this.#every('numbers.reconcile', this.#deps.config.leaseTtlMs / 3, () => this.#numbers.reconcile()),
      this.#every('numbers.look', LOOK_FOR_DUE_MS, () => this.#numbers.wakeDue()),
      this.#every('unhosted.fail', LOOK_FOR_UNHOSTED_MS, () => this.#failUnhosted()),
      this.#every('unhosted.forward', LOOK_FOR_UNHOSTED_MS, () => this.#forwardUnhosted(signal)),
      this.#every('numbers.sweep', SWEEP_MS, () => this.#sweep(signal)),
    ]
  }

  /** What is to be handed over may take its time: the next beat does not wait for it. */
  async #beat(): Promise<void> {
    const beaten = await this.#heartbeat.beat()
    void this.#numbers.share(beaten)
  }

  /** A phone that accepts gives its number to this host. */
  async #lookForPairings(): Promise<void> {
    if (this.#heartbeat.tenure?.isFresh()) await this.#pairings.look(this.#numbers.hasRoom)
  }

  #linked(taken: TakenSession): void {
    const { tenure } = this.#heartbeat
    if (tenure !== undefined) this.#numbers.host(taken, tenure)
  }

  async #forwardUnhosted(signal: AbortSignal): Promise<void> {
    const { tenure } = this.#heartbeat
    if (tenure !== undefined) await forwardUnhosted({ ...this.#deps, suspects: this.#suspects }, tenure, signal)
  }

  #listen(): () => void {
    const { signals } = this.#deps.store
    const listening = [
      signals.on('commands', ({ sessionId }) => this.#numbers.get(sessionId)?.wakeForCommands()),
      signals.on('requests', ({ sessionId }) => this.#numbers.get(sessionId)?.wakeForRequests()),
      signals.on('sessions', ({ sessionId }) => this.#sessionChanged(sessionId)),
      signals.on('pairings', () => this.#pairing.soon()),
      signals.on('hosts', () => {
        this.#taking.soon()
        this.#pairing.soon()
      }),
    ]
    return () => listening.forEach(stop => stop())
  }

  #sessionChanged(sessionId: string): void {
    const { log, identity } = this.#deps
    if (this.#numbers.get(sessionId) === undefined) return this.#taking.soon()
    void this.#numbers.refresh([sessionId]).catch((error: unknown) => {
      // The next look at all of them tells it.
      log.warn({ session: sessionId, owner: identity.id, err: error }, 'session.not_refreshed')
    })
  }

  async #failUnhosted(): Promise<void> {
    this.#deps.metrics.sessions(this.#numbers.counts(), this.#busy.sinceLast())
    await failUnhosted(this.#deps)
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { store, identity } = this.#deps
    while (!signal.aborted && (await store.retention.dropExpiredHosting()));
    await cleanUpSessions(this.#deps, identity.id, signal)
  }

  async #handOver(): Promise<void> {
    const { store, log, identity } = this.#deps
    await Promise.all([this.#pairings.stop(), this.#numbers.handOver()])
    // A phone may have accepted in the last moment.
    await this.#numbers.handOver()
    await store.leases.endHolder({ id: identity.id }).catch((error: unknown) => {
      log.warn({ owner: identity.id, err: error }, 'host.not_ended')
    })
  }

  /** Begins so often, unless one takes longer. */
  #every(name: string, ms: number, work: () => Promise<void>): RepeatingTask {
    const { clock } = this.#deps
    return new RepeatingTask(
      this.#deps,
      name,
      async () => {
        const begunMs = clock.monotonicMs()
        await work()
        return Math.max(0, ms - (clock.monotonicMs() - begunMs))
      },
      ms,
    )
  }
}
