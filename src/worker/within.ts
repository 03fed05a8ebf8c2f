/** It took longer than it may. */
export class TimedOut extends Error {
  override name = 'TimedOut'
}

/** Runs with a deadline, and until `outer` aborts; what ignores its signal is left behind. */
export async function within<T>(ms: number, run: (signal: AbortSignal) => Promise<T>, outer: AbortSignal): Promise<T> {
  const inner = new AbortController()
  let stop: () => void = () => {}
  const stopped = new Promise<never>((_, reject) => {
    const end = (error: Error): void => {
      reject(error)
      inner.abort(error)
    }
    const timer = setTimeout(() => end(new TimedOut(`no answer within ${ms} ms`)), ms)
    const onOuter = (): void => end(new Error('stopped'))
    outer.addEventListener('abort', onOuter, { once: true })
    if (outer.aborted) onOuter()
    stop = () => {
      clearTimeout(timer)
      outer.removeEventListener('abort', onOuter)
    }
  })
  try {
    return await Promise.race([run(inner.signal), stopped])
  } finally {
    stop()
    stopped.catch(() => {})
  }
}
