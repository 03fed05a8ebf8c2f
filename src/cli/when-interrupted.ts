const CODES = { SIGINT: 130, SIGTERM: 143 } as const
const SIGNALS = Object.keys(CODES) as Array<keyof typeof CODES>

/** Ends the process after it has tidied up; a second signal ends it at once. Answers what takes this back. */
export function whenInterrupted(tidyUp: () => Promise<void>): () => void {
  const listeners = SIGNALS.map(signal => [signal, () => end(CODES[signal])] as const)
  const stop = (): void => listeners.forEach(([signal, listener]) => process.off(signal, listener))
  const end = (code: number): void => {
    stop()
    void tidyUp()
      .catch(() => {})
      .finally(() => process.exit(code))
  }
  for (const [signal, listener] of listeners) process.on(signal, listener)
  return stop
}

/**
 * For the first process of a container: no signal ends it unless it is handled, so a start that waits would have to be
 * killed. Elsewhere signals do that by themselves. Answers what takes this back.
 */
export function endWhenSignalled(): () => void {
  return process.pid === 1 ? whenInterrupted(() => Promise.resolve()) : () => {}
}
