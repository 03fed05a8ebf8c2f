import { describe, expect, it } from 'vitest'
import { systemClock } from './clock.ts'
import { TimedOut, resolveWithin, withDeadline } from './deadline.ts'

const never = new AbortController().signal
/** Says something of its own when it is ended. */
const polite = (signal: AbortSignal): Promise<string> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('I was interrupted'))))
const deaf = (): Promise<string> => new Promise(() => {})

describe('with a deadline', () => {
  it('answers what the work answers', async () => {
    expect(await withDeadline(systemClock, 60_000, async () => 'done', never)).toBe('done')
  })

  it.each([
    ['work that listens', polite],
    ['work that does not', deaf],
  ])('ends %s at its deadline, and says so', async (_, work) => {
    await expect(withDeadline(systemClock, 5, work, never)).rejects.toBeInstanceOf(TimedOut)
  })

  it.each([
    ['work that listens', polite],
    ['work that does not', deaf],
  ])('ends %s when all of it is stopped', async (_, work) => {
    const outer = new AbortController()
    const ending = withDeadline(systemClock, 60_000, work, outer.signal)
    outer.abort()
    await expect(ending).rejects.toThrow('stopped')
    await expect(withDeadline(systemClock, 60_000, work, outer.signal)).rejects.toThrow('stopped')
  })

  it('tells of work that breaks', async () => {
    const broken = async (): Promise<string> => {
      throw new Error('broken')
    }
    await expect(withDeadline(systemClock, 60_000, broken, never)).rejects.toThrow('broken')
  })
})

describe('unless it is late', () => {
  it('work that ends in time gives its outcome, also a failure', async () => {
    expect(await resolveWithin(systemClock, 10_000, Promise.resolve('done'))).toBe('done')
    await expect(resolveWithin(systemClock, 10_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  it('work that takes longer gives nothing, and may fail later without harm', async () => {
    let fail = (_error: Error): void => {}
    const work = new Promise<string>((_, reject) => (fail = reject))
    expect(await resolveWithin(systemClock, 5, work)).toBeUndefined()
    fail(new Error('late'))
  })

  it('whoever stops has no outcome', async () => {
    const stopping = new AbortController()
    const outcome = resolveWithin(systemClock, 10_000, deaf(), stopping.signal)
    stopping.abort()
    await expect(outcome).rejects.toThrow()
  })
})
