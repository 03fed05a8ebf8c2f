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
