import { type Signal, mergeSignals } from '../../signals.ts'

/** Collects signals without duplicates. For a lane the earliest due time is kept, since it is read from there. */
export class SignalSet {
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
    this.#byName.set(signal.lane, known === undefined ? signal : mergeSignals(known, signal))
  }

  /** Removes and returns all signals. */
  take(): Signal[] {
    const all = [...this.#byName.values()]
    this.#byName = new Map()
    return all
  }
}
