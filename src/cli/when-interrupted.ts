const CODES = { SIGINT: 130, SIGTERM: 143 } as const
const SIGNALS = Object.keys(CODES) as Array<keyof typeof CODES>

/** Ends the process after a clean-up; a second signal ends it immediately. Returns a function that removes the handlers. */
export function whenInterrupted(cleanUp: () => Promise<void>): () => void {
  const listeners = SIGNALS.map(signal => [signal, () => end(CODES[signal])] as const)
  const stop = (): void => listeners.forEach(([signal, listener]) => process.off(signal, listener))
  const end = (code: number): void => {
    stop()
    void cleanUp()
      .catch(() => {})
      .finally(() => process.exit(code))
  }
  for (const [signal, listener] of listeners) process.on(signal, listener)
  return stop
}

/**
 * For the first process of a container: the kernel ignores signals that it does not handle, so a waiting start could not
 * be stopped. Other processes need no handler. Returns a function that removes the handlers.
 */
export function endWhenSignalled(): () => void {
  return process.pid === 1 ? whenInterrupted(() => Promise.resolve()) : () => {}
}
