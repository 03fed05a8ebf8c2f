import type { Clock } from '../runtime/clock.ts'
import { interfaceAddresses } from './own-endpoints.ts'

/** Asking the system takes longer than the rest of a check, and every request is checked. */
const KNOWN_MS = 5_000

/** The addresses of this machine, as they are now or were a moment ago. */
export class MachineAddresses {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #addresses: ReadonlySet<string> = new Set()
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** `address` in the one spelling that interfaceAddresses has. */
  has(address: string): boolean {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#readAtMs > KNOWN_MS) {
      this.#addresses = new Set(interfaceAddresses())
      this.#readAtMs = nowMs
    }
    return this.#addresses.has(address)
  }
}
