import type { PairingAnswer } from '../../domain/passkey.ts'
import type { Answer } from '../../domain/request.ts'
import { aboutAnswer, aboutRequest } from '../../domain/sealed.ts'
import { pairingFailure, type PairingStep } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { WaitingRequest } from '../../store/requests/requests.ts'
import { failureOf } from '../execute.ts'
import type { HostDeps } from '../deps.ts'

type AnswerDeps = Pick<HostDeps, 'seal' | 'log'> & { store: Pick<Store, 'requests'> }

/** Passes a person's answers to the pairing step that waits for them. */
export class PairingAnswers {
  readonly #deps: AnswerDeps
  readonly #begun = new Set<string>()
  #step: PairingStep | undefined
  #isWaiting = false

  constructor(deps: AnswerDeps) {
    this.#deps = deps
  }

  /** A step waits for an answer. */
  get areExpected(): boolean {
    return this.#isWaiting
  }

  noteStep(step: PairingStep): void {
    this.#step = step
    if (step.kind === 'passkey' || step.kind === 'confirm' || step.kind === 'code') this.#isWaiting = true
  }

  /** `shown` resolves when a client that watches the pairing can see the result. */
  async take({ id, sealed, replyTo }: WaitingRequest, shown: () => Promise<void>): Promise<void> {
    if (this.#begun.has(id)) return
    this.#begun.add(id)
    const { store, seal, log } = this.#deps
    try {
      const answer = await this.#perform(seal.openJson<PairingAnswer>(sealed, aboutRequest(id)))
      await shown()
      await store.requests.answerRequest({ id, replyTo, sealed: seal.sealJson(answer, aboutAnswer(id)) })
    } catch (error) {
      log.error({ request: id, err: error }, 'pairing.response_failed')
    }
  }

  async #perform(answer: PairingAnswer): Promise<Answer<object>> {
    try {
      await this.#passOn(answer)
      return { ok: true, value: {} }
    } catch (error) {
      return { ok: false, failure: failureOf(this.#deps, error) }
    }
  }

  async #passOn(answer: PairingAnswer): Promise<void> {
    const step = this.#step
    if (answer.kind === 'passkey' && step?.kind === 'passkey')
      return await step.answer(answer.assertion, answer.compareCodes)
    if (answer.kind === 'confirm' && step?.kind === 'confirm') return await step.confirm()
    if (answer.kind === 'new_code' && step?.kind === 'code') return await step.renew()
    throw pairingFailure('the pairing does not need this answer now')
  }
}
