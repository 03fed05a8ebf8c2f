import type { Clock } from '../../../clock.ts'

/** What comes of the work, or `undefined` where that takes longer. Rejects where the signal is aborted meanwhile. */
export async function within<T>(
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
