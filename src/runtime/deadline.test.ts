import { describe, expect, it } from 'vitest'
import { systemClock } from './clock.ts'
import { TimedOut, resolveWithin, withDeadline } from './deadline.ts'

const never = new AbortController().signal
/** Says something of its own when it is ended. */
const polite = (signal: AbortSignal): Promise<string> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('I was interrupted'))))
const deaf = (): Promise<string> => new Promise(() => {})

describe('withDeadline', () => {
  it('returns the result of the work', async () => {
    expect(await withDeadline(systemClock, 60_000, async () => 'done', never)).toBe('done')
  })

  it.each([
    ['work that listens', polite],
    ['work that does not', deaf],
  ])('ends %s at its deadline with TimedOut', async (_, work) => {
    await expect(withDeadline(systemClock, 5, work, never)).rejects.toBeInstanceOf(TimedOut)
  })

  it.each([
    ['work that listens', polite],
    ['work that does not', deaf],
  ])('ends %s when the outer signal aborts', async (_, work) => {
    const outer = new AbortController()
    const ending = withDeadline(systemClock, 60_000, work, outer.signal)
    outer.abort()
    await expect(ending).rejects.toThrow('stopped')
    await expect(withDeadline(systemClock, 60_000, work, outer.signal)).rejects.toThrow('stopped')
  })

  it('rejects with the error of the work', async () => {
    const broken = async (): Promise<string> => {
      throw new Error('broken')
    }
    await expect(withDeadline(systemClock, 60_000, broken, never)).rejects.toThrow('broken')
  })
})

describe('resolveWithin', () => {
  it('returns the result or the error of work that ends in time', async () => {
    expect(await resolveWithin(systemClock, 10_000, Promise.resolve('done'))).toBe('done')
    await expect(resolveWithin(systemClock, 10_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  it('returns undefined for work that takes longer, and ignores its later failure', async () => {
    let fail = (_error: Error): void => {}
    const work = new Promise<string>((_, reject) => (fail = reject))
    expect(await resolveWithin(systemClock, 5, work)).toBeUndefined()
    fail(new Error('late'))
  })

  it('rejects when the signal aborts', async () => {
    const stopping = new AbortController()
    const outcome = resolveWithin(systemClock, 10_000, deaf(), stopping.signal)
    stopping.abort()
    await expect(outcome).rejects.toThrow()
  })
})
