import type { Clock } from './clock.ts'

/** It took longer than it may. */
export class TimedOut extends Error {
  override name = 'TimedOut'
}

/** What comes of the work, or `undefined` where that takes longer. Rejects where the signal is aborted meanwhile. */
export async function resolveWithin<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const enough = new AbortController()
  const ends = signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal])
  const late = clock.sleep(ms, ends).then(() => signal?.throwIfAborted())
  try {
    return await Promise.race([work, late as Promise<undefined>])
  } finally {
    enough.abort()
  }
}

/** Ends the work at its deadline, and when `outer` aborts; what ignores its signal is left behind. */
export async function withDeadline<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  run: (signal: AbortSignal) => Promise<T>,
  outer: AbortSignal,
): Promise<T> {
  const inner = new AbortController()
  // Before the work listens: why it was ended counts, not what it says to that.
  const ended = rejectedBy(inner.signal)
  const stop = (): void => inner.abort(new Error('stopped'))
  const over = new AbortController()
  void clock.sleep(ms, over.signal).then(() => {
    if (!over.signal.aborted) inner.abort(new TimedOut(`no answer within ${ms} ms`))
  })
  outer.addEventListener('abort', stop, { once: true })
  if (outer.aborted) stop()
  try {
    return await Promise.race([run(inner.signal), ended])
  } finally {
    over.abort()
    outer.removeEventListener('abort', stop)
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  rejected.catch(() => {})
  return rejected
}
