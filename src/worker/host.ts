import { setMaxListeners } from 'node:events'
import { Repeating } from '../repeating.ts'
import { aborted } from '../role.ts'
import type { Store } from '../store/store.ts'
import type { TakenSession } from '../store/units/hosting/hosting.ts'
import { failUnhosted } from './unhosted-commands.ts'
import { HostedNumbers, type NumbersParts } from './hosted-numbers.ts'
import { forwardUnhosted } from './inbox/unhosted-inbox.ts'
import { Pairings } from './pairings/pairings.ts'
import { sweepNumbers } from './sweep-numbers.ts'

const TICK_MS = 250
const LOOK_FOR_DUE_MS = 500
const LOOK_FOR_UNHOSTED_MS = 2_000
const SWEEP_MS = 600_000
const LEAST_RENEW_MS = 50

type NetworkParts = NumbersParts & { store: Pick<Store, 'leases' | 'signals'> }

/** Runs the numbers of one network until it is told to stop, then hands them over. */
export class Host {
  readonly #parts: NetworkParts
  readonly #numbers: HostedNumbers
  readonly #pairings: Pairings
  readonly #taking: Repeating
  readonly #pairing: Repeating

  constructor(parts: NetworkParts) {
    this.#parts = parts
    this.#numbers = new HostedNumbers(parts)
    const onLinked = (taken: TakenSession, askedAtMs: number): void => this.#numbers.host(taken, askedAtMs)
    this.#pairings = new Pairings({ ...parts, onLinked })
    this.#taking = this.#every('numbers.take', TICK_MS, () => this.#numbers.take())
    this.#pairing = this.#every('pairings.look', TICK_MS, () => this.#pairings.look())
  }

  isReady(): boolean {
    return this.#numbers.isKnown
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

  #loops(signal: AbortSignal): Repeating[] {
    return [
      // By itself: a link whose hold is over ends on time, also where the database does not answer.
      this.#every('numbers.tick', TICK_MS, async () => this.#numbers.tick()),
      this.#taking,
      this.#pairing,
      this.#every('numbers.renew', this.#renewMs, () => this.#numbers.renew()),
      this.#every('numbers.look', LOOK_FOR_DUE_MS, () => this.#numbers.wakeDue()),
      this.#every('unhosted.fail', LOOK_FOR_UNHOSTED_MS, () => this.#failUnhosted()),
      this.#every('unhosted.forward', LOOK_FOR_UNHOSTED_MS, () => forwardUnhosted(this.#parts, signal)),
      this.#every('numbers.sweep', SWEEP_MS, () => this.#sweep(signal)),
    ]
  }

  get #renewMs(): number {
    return Math.max(LEAST_RENEW_MS, this.#parts.config.leaseTtlMs / 3)
  }

  #listen(): () => void {
    const { signals } = this.#parts.store
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
    const { log, identity } = this.#parts
    if (this.#numbers.get(sessionId) === undefined) return this.#taking.soon()
    void this.#numbers.refresh([sessionId]).catch((error: unknown) => {
      // The next renewal tells it.
      log.warn({ session: sessionId, owner: identity.id, err: error }, 'session.not_refreshed')
    })
  }

  async #failUnhosted(): Promise<void> {
    this.#parts.metrics.sessions(this.#numbers.counts())
    await failUnhosted(this.#parts)
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { store, identity } = this.#parts
    while (!signal.aborted && (await store.hosting.sweepHosting()));
    await sweepNumbers(this.#parts, identity.id, signal)
  }

  async #handOver(): Promise<void> {
    const { store, log, identity } = this.#parts
    await Promise.all([this.#pairings.stop(), this.#numbers.handOver()])
    // A phone may have accepted in the last moment.
    await this.#numbers.handOver()
    await store.hosting.endHost(identity.id).catch((error: unknown) => {
      log.warn({ owner: identity.id, err: error }, 'host.not_ended')
    })
  }

  /** Begins so often, unless one takes longer. */
  #every(name: string, ms: number, work: () => Promise<void>): Repeating {
    const { clock } = this.#parts
    return new Repeating(
      this.#parts,
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
