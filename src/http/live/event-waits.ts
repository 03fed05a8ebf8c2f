import { Deferred } from '../../runtime/deferred.ts'

interface Waiting {
  controller: AbortController
  ended: Deferred<void>
}

/** Answers that wait for events: one for each listener, so that whoever asks again and again holds up nothing. */
export class EventWaits {
  readonly #waiting = new Map<string, Waiting>()

  /**
   * Ends the wait before it of the same listener, and begins when that is over. Answers what ends this one, and what says
   * that it is over.
   */
  async begin(listenerId: string): Promise<{ signal: AbortSignal; end: () => void }> {
    const before = this.#waiting.get(listenerId)
    const own: Waiting = { controller: new AbortController(), ended: new Deferred() }
    this.#waiting.set(listenerId, own)
    before?.controller.abort()
    await before?.ended.promise
    return {
      signal: own.controller.signal,
      end: () => {
        own.ended.resolve()
        if (this.#waiting.get(listenerId) === own) this.#waiting.delete(listenerId)
      },
    }
  }

  /** Ends all of them: a shutdown waits for nobody who only waits. */
  endAll(): void {
    for (const { controller } of this.#waiting.values()) controller.abort()
  }
}
