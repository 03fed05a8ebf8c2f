/** Answers that wait for events: one for each listener, so that whoever asks again and again holds up nothing. */
export class EventWaits {
  readonly #waiting = new Map<string, AbortController>()

  /** Ends the wait before it of the same listener. Answers what ends this one, and what says that it is over. */
  begin(listenerId: string): { signal: AbortSignal; end: () => void } {
    this.#waiting.get(listenerId)?.abort()
    const own = new AbortController()
    this.#waiting.set(listenerId, own)
    return {
      signal: own.signal,
      end: () => {
        if (this.#waiting.get(listenerId) === own) this.#waiting.delete(listenerId)
      },
    }
  }

  /** Ends all of them: a shutdown waits for nobody who only waits. */
  endAll(): void {
    for (const waiting of this.#waiting.values()) waiting.abort()
  }
}
