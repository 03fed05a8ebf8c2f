/** Planned faults of one kind, by the digits of a number. */
export class FaultQueue<T> {
  readonly #planned = new Map<string, T[]>()

  plan(digits: string, fault: T, times = 1): void {
    const known = this.#planned.get(digits) ?? []
    for (let time = 0; time < times; time += 1) known.push(fault)
    this.#planned.set(digits, known)
  }

  take(digits: string): T | undefined {
    const known = this.#planned.get(digits)
    const fault = known?.shift()
    if (known?.length === 0) this.#planned.delete(digits)
    return fault
  }

  planned(digits: string): number {
    return this.#planned.get(digits)?.length ?? 0
  }
}
