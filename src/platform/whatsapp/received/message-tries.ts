import type { DeviceStorage } from '../../platform.ts'

/** One try next to other messages and three as the only suspect: by then it has killed three processes in a row. */
const MAX_TRIES = 4

/**
 * Counts durably how often a message was begun and not finished: a message that ends the link or the process is
 * redelivered with every login, and the count identifies it.
 */
export class MessageTries {
  readonly #counted: Map<string, number>
  readonly #storage: Pick<DeviceStorage, 'recordTries'>

  constructor(counted: Map<string, number>, storage: Pick<DeviceStorage, 'recordTries'>) {
    this.#counted = counted
    this.#storage = storage
  }

  /** The message was begun so often without an end that it is treated as poison. */
  isSpent(key: string): boolean {
    return (this.#counted.get(key) ?? 0) >= MAX_TRIES
  }

  /** The message was begun before, by this process or another. */
  has(key: string): boolean {
    return this.#counted.has(key)
  }

  async count(keys: string[], by: 1 | -1 = 1): Promise<void> {
    if (keys.length === 0) return
    const counted = new Map(keys.map(key => [key, Math.max(0, (this.#counted.get(key) ?? 0) + by)]))
    await this.#storage.recordTries(counted)
    for (const [key, tries] of counted) {
      if (tries > 0) this.#counted.set(key, tries)
      else this.#counted.delete(key)
    }
  }

  /** The message is finished. The caller writes the returned change together with it. */
  finish(key: string): { finished?: string[] } {
    return this.#counted.delete(key) ? { finished: [key] } : {}
  }
}
