/** The pause that a number keeps between two messages. It counts from when a message really leaves. */
export interface Pace {
  /** When the next message may begin; never, while one is about to leave. */
  nextMs(): number
  /** A message begins: no other may until it leaves. */
  begin(name: string): void
  /** The message leaves now. Says whether the next one has to wait. */
  left(): boolean
  /** The message is over: if it has never left, the next one may begin. */
  release(name: string): void
}

export function createPace(pauseMs: () => number, monotonicMs: () => number): Pace {
  let nextMs = 0
  let leaving: string | undefined
  return {
    nextMs: () => (leaving === undefined ? nextMs : Number.POSITIVE_INFINITY),
    begin(name) {
      if (pauseMs() > 0) leaving = name
    },
    left() {
      const pause = pauseMs()
      leaving = undefined
      if (pause > 0) nextMs = monotonicMs() + pause
      return pause > 0
    },
    release(name) {
      if (leaving === name) leaving = undefined
    },
  }
}
