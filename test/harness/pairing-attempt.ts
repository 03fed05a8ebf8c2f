import type { LinkedDevice, PairingRequest, PairingStep, Platform } from '../../src/platform/platform.ts'
import { until } from './until.ts'

export type StepOf<K extends PairingStep['kind']> = Extract<PairingStep, { kind: K }>

/** A pairing of a number, with its steps as they come. */
export class PairingAttempt {
  readonly steps: PairingStep[] = []
  readonly linked: Promise<LinkedDevice>
  readonly #cancel = new AbortController()

  constructor(platform: Platform, request: PairingRequest, onStep: (step: PairingStep) => void = () => {}) {
    const recordStep = (step: PairingStep): void => {
      this.steps.push(step)
      onStep(step)
    }
    this.linked = platform.pair(request, recordStep, this.#cancel.signal)
    this.linked.catch(() => {})
  }

  get kinds(): Array<PairingStep['kind']> {
    return this.steps.map(({ kind }) => kind)
  }

  all<K extends PairingStep['kind']>(kind: K): Array<StepOf<K>> {
    return this.steps.filter((step): step is StepOf<K> => step.kind === kind)
  }

  /** The step of a kind, once there have been this many. */
  async step<K extends PairingStep['kind']>(kind: K, nth = 1): Promise<StepOf<K>> {
    return await until(() => this.all(kind)[nth - 1])
  }

  /** The current step, once it is of this kind. */
  async last<K extends PairingStep['kind']>(kind: K): Promise<StepOf<K>> {
    const isOnShow = (): boolean => this.steps.at(-1)?.kind === kind
    return await until(() => (isOnShow() ? this.all(kind).at(-1) : undefined))
  }

  cancel(): void {
    this.#cancel.abort(new Error('cancelled'))
  }

  async end(): Promise<void> {
    this.cancel()
    await this.linked.catch(() => {})
  }
}
