import { type Pulse, silent } from './pulse.ts'
import { StoreUnavailable } from './tx.ts'

/** More than this never wait: whoever comes then is told at once. */
export const LONGEST_LINE = 4_096

interface Waiting {
  reject: (error: unknown) => void
}

/** Those who wait for the database. Where it falls silent they are let go, and whoever comes then as well. */
export class WaitingLine<W extends Waiting> {
  readonly #waiting: W[] = []
  readonly #pulse: Pulse | undefined

  /** Without a pulse the database never falls silent. */
  constructor(pulse?: Pulse) {
    this.#pulse = pulse
    pulse?.onSilent(() => {
      for (const { reject } of this.#waiting.splice(0)) reject(silent())
    })
  }

  get length(): number {
    return this.#waiting.length
  }

  join(waiting: W): void {
    if (this.#pulse?.isSilent() === true) waiting.reject(silent())
    else if (this.#waiting.length < LONGEST_LINE) this.#waiting.push(waiting)
    else waiting.reject(new StoreUnavailable('too many wait for the database'))
  }

  /** The first of them, as many as asked for. */
  take(count: number): W[] {
    return this.#waiting.splice(0, count)
  }
}
