import { type Signal, together } from '../../signals.ts'

/** Signals of one commit or of many, each once. Of a lane the earliest due time counts: it is read from there. */
export class GatheredSignals {
  #byName = new Map<string, Signal>()

  get size(): number {
    return this.#byName.size
  }

  add(signal: Signal): void {
    if (signal.about !== 'deliveries') {
      this.#byName.set(JSON.stringify(signal), signal)
      return
    }
    const known = this.#byName.get(signal.lane)
    this.#byName.set(signal.lane, known === undefined ? signal : together(known, signal))
  }

  /** All of them; nothing is left. */
  take(): Signal[] {
    const all = [...this.#byName.values()]
    this.#byName = new Map()
    return all
  }
}
