import type { Proxy } from '../../domain/proxy.ts'
import { aboutPairing, aboutPairingProxy } from '../../domain/sealed.ts'
import type { PairingRequest, PairingStep } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingRequest } from '../../store/requests/requests.ts'
import type { StoredPairing } from '../../store/pairings/pairings.ts'
import { retryUntilReachable } from '../../store/retry-until-reachable.ts'
import { PairingAnswers } from './pairing-answers.ts'
import { endAfter, shownBy } from './pairing-steps.ts'
import { PHONE_WAITS_MS, registerOrDiscard, type RegisterDeps } from './register-device.ts'

export type PairingDeps = RegisterDeps & { store: Pick<Store, 'requests'> }

type Outcome = 'linked' | 'over' | 'failed' | 'left'

/** A pairing that this host runs: it shows each code to the client, and hosts the number when a phone accepts. */
export class RunningPairing {
  readonly #deps: PairingDeps
  readonly #pairing: StoredPairing
  readonly #releasing = new AbortController()
  readonly #answers: PairingAnswers
  /** Steps are shown one after the other. */
  #shown: Promise<void> = Promise.resolve()
  #done: Promise<void> = Promise.resolve()
  #isAtWork = true
  #isLeft = false
  #isDone = false

  constructor(deps: PairingDeps, pairing: StoredPairing) {
    this.#deps = deps
    this.#pairing = pairing
    this.#answers = new PairingAnswers(deps)
  }

  /** False while it waits for the phone, or for a platform that is unreachable. */
  get isAtWork(): boolean {
    return this.#isAtWork
  }

  /** It waits for a person's answer. */
  get expectsAnswers(): boolean {
    return this.#answers.areExpected
  }

  /** A person has answered. */
  take(request: WaitingRequest): void {
    void this.#answers.take(request, () => this.#shown)
  }

  /** Resolves when it is over. */
  begin(): Promise<void> {
    this.#done = this.#run()
    return this.#done
  }

  /** The pairing is over, or another host has it. */
  release(): void {
    this.#releasing.abort()
  }

  /** Leaves the pairing to another host. */
  async leave(): Promise<void> {
    this.#isLeft = true
    this.release()
    await this.#done
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#deps
    const { id, platform } = this.#pairing
    const begunMs = clock.monotonicMs()
    const outcome = await this.#link().catch((error: unknown) => this.#fail(error))
    this.#isDone = true
    const ms = Math.round(clock.monotonicMs() - begunMs)
    log.info({ pairing: id, platform, outcome, ms }, 'pairing.attended')
  }

  async #link(): Promise<Outcome> {
    const { platform, seal } = this.#deps
    const { id, proxy: sealed } = this.#pairing
    const proxy = sealed && seal.openJson<Proxy>(sealed, aboutPairingProxy(id))
    const request = { ...requestOf(this.#pairing), ...(proxy && { proxy }) }
    const device = await platform.pair(request, step => this.#step(step), this.#releasing.signal)
    await this.#shown
    return await registerOrDiscard(this.#deps, id, { ...device, proxy })
  }

  async #fail(error: unknown): Promise<Outcome> {
    if (this.#isLeft) return 'left'
    const { store, log, identity } = this.#deps
    const { id } = this.#pairing
    const end = endAfter(error, this.#releasing.signal.aborted)
    if (end.status === 'failed') log.warn({ pairing: id, err: error }, 'pairing.failed')
    await store.pairings.endPairing({ id, owner: identity.id, ...end }).catch((failure: unknown) => {
      // It expires in any case.
      log.warn({ pairing: id, err: failure }, 'pairing.end_failed')
    })
    return end.status === 'failed' ? 'failed' : 'over'
  }

  #step(step: PairingStep): void {
    this.#answers.noteStep(step)
    this.#shown = this.#shown.then(() => this.#showWhenReachable(step)).catch(() => {})
  }

  /** A code to type is shown once: it waits for an unreachable database, as long as a phone waits. */
  async #showWhenReachable(step: PairingStep): Promise<void> {
    const { clock } = this.#deps
    const untilMs = clock.monotonicMs() + PHONE_WAITS_MS
    const mayRetry = () => !this.#isDone && clock.monotonicMs() < untilMs
    await retryUntilReachable(clock, () => this.#show(step), { mayRetry })
  }

  async #show(step: PairingStep): Promise<void> {
    const { store, seal, identity } = this.#deps
    const { id } = this.#pairing
    const { code, isAtWork, ...shown } = shownBy(step)
    const isOpen = await store.pairings.recordPairingStep({
      id,
      owner: identity.id,
      step: code && seal.sealJson(code, aboutPairing(id)),
      ...shown,
    })
    this.#isAtWork = isAtWork
    if (!isOpen) this.release()
  }
}

const requestOf = ({ method, phone }: StoredPairing): PairingRequest =>
  method === 'code' && phone !== null ? { method, phone } : { method: 'qr' }
