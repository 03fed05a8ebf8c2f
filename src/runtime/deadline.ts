import type { Clock } from './clock.ts'

/** Ends a wait. A reason that is made once costs no stack trace for each wait. */
const OVER = new Error('over')

/** The work took longer than its deadline. */
export class TimedOut extends Error {
  override name = 'TimedOut'
}

/** The result of the work, or `undefined` on a timeout. Rejects if the signal aborts first. */
export async function resolveWithin<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const done = new AbortController()
  const wakeUp = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal])
  const late = clock.sleep(ms, wakeUp).then(() => signal?.throwIfAborted())
  try {
    return await Promise.race([work, late as Promise<undefined>])
  } finally {
    done.abort(OVER)
  }
}

/** Ends the work at its deadline, and when `outer` aborts; does not wait for work that ignores its signal. */
export async function withDeadline<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  run: (signal: AbortSignal) => Promise<T>,
  outer: AbortSignal,
): Promise<T> {
  const inner = new AbortController()
  // Before the work adds its listener: the reason for the end counts, not how the work reacts.
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
    over.abort(OVER)
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
