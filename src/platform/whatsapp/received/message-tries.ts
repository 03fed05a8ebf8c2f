import type { DeviceStorage } from '../../platform.ts'

/** Begun once among others, and three times as the only suspect: three processes in a row died of it. */
const MAX_TRIES = 4

/**
 * How often messages were begun that never came to an end, counted durably: one that stops the link or the process
 * comes again with every login, and is known by it.
 */
export class MessageTries {
  readonly #counted: Map<string, number>
  readonly #storage: Pick<DeviceStorage, 'recordTries'>

  constructor(counted: Map<string, number>, storage: Pick<DeviceStorage, 'recordTries'>) {
    this.#counted = counted
    this.#storage = storage
  }

  /** It is given up: begun as often as that, it never came to an end. */
  isSpent(key: string): boolean {
    return (this.#counted.get(key) ?? 0) >= MAX_TRIES
  }

  /** It was begun before, by this process or another. */
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

  /** It came to an end; the answer is what has to be written with it. */
  finish(key: string): { finished?: string[] } {
    return this.#counted.delete(key) ? { finished: [key] } : {}
  }
}
