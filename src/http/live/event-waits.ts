import { Deferred } from '../../runtime/deferred.ts'

interface Waiting {
  /** Aborted when a newer request of the same listener takes over, or at a shutdown. */
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

/** The requests that wait for events: one for each listener, so that a client that repeats its request holds no more. */
export class EventWaits {
  readonly #waiting = new Map<string, Waiting>()
  readonly #shutdown = new AbortController()

  /** Ends the listener's wait before this one, and resolves when that has ended. */
  async begin(listenerId: string): Promise<EventWait> {
    const before = this.#waiting.get(listenerId)
    const own: Waiting = { controller: new AbortController(), ended: new Deferred() }
    this.#waiting.set(listenerId, own)
    before?.controller.abort()
    await before?.ended.promise
    return {
      signal: own.controller.signal,
      shutdown: this.#shutdown.signal,
      end: () => {
        own.ended.resolve()
        if (this.#waiting.get(listenerId) === own) this.#waiting.delete(listenerId)
      },
    }
  }

  /** Ends all waits, so that none holds up a shutdown. */
  endAll(): void {
    this.#shutdown.abort()
    for (const { controller } of this.#waiting.values()) controller.abort()
  }
}
