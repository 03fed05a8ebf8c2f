import { Deferred } from '../../runtime/deferred.ts'

interface Waiting {
  /** Aborted when a newer request of the same reader takes over, or at a shutdown. */
  controller: AbortController
  ended: Deferred<void>
}

export interface EventWait {
  /** Aborts when the wait must end. */
  signal: AbortSignal
  /** Aborts at a shutdown. */
  shutdown: AbortSignal
  end(): void
}

/**
 * The requests that wait for events: one for each reader, which is a listener or a pull endpoint. A client that repeats its
 * request thus holds only one of them open.
 */
export class EventWaits {
  readonly #waiting = new Map<string, Waiting>()
  readonly #shutdown = new AbortController()

  /** Ends the earlier wait of this reader, and resolves when that has ended. */
  async begin(readerId: string): Promise<EventWait> {
    const before = this.#waiting.get(readerId)
    const own: Waiting = { controller: new AbortController(), ended: new Deferred() }
    this.#waiting.set(readerId, own)
    before?.controller.abort()
    await before?.ended.promise
    return {
      signal: own.controller.signal,
      shutdown: this.#shutdown.signal,
      end: () => {
        own.ended.resolve()
        if (this.#waiting.get(readerId) === own) this.#waiting.delete(readerId)
      },
    }
  }

  /** Ends all waits, so that none holds up a shutdown. */
  endAll(): void {
    this.#shutdown.abort()
    for (const { controller } of this.#waiting.values()) controller.abort()
  }
}
