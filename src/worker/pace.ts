/** The pause that a number keeps between two messages. It counts from when a message really leaves. */
export interface Pace {
  /** When the next message may begin; never, while one is about to leave. */
  nextMs(): number
  /** A message begins: no other may until it leaves. */
  begin(): void
  /** The message leaves now. Says whether the next one has to wait. */
  left(): boolean
  /** The message that had begun may not have left: the next one may begin. */
  release(): void
}

export function createPace(pauseMs: () => number, monotonicMs: () => number): Pace {
  let nextMs = 0
  return {
    nextMs: () => nextMs,
    begin() {
      if (pauseMs() > 0) nextMs = Number.POSITIVE_INFINITY
    },
    left() {
      const pause = pauseMs()
      if (pause > 0) nextMs = monotonicMs() + pause
      return pause > 0
    },
    release() {
      if (nextMs === Number.POSITIVE_INFINITY) nextMs = 0
    },
  }
}
