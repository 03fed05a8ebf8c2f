import { expect, it } from 'vitest'
import { TimedOut, within } from './within.ts'

const never = new AbortController().signal
/** Says something of its own when it is ended. */
const polite = (signal: AbortSignal): Promise<string> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('I was interrupted'))))
const deaf = (): Promise<string> => new Promise(() => {})

it('answers what the work answers', async () => {
  expect(await within(1_000, async () => 'done', never)).toBe('done')
})

it.each([
  ['work that listens', polite],
  ['work that does not', deaf],
])('ends %s at its deadline, and says so', async (_, work) => {
  await expect(within(5, work, never)).rejects.toBeInstanceOf(TimedOut)
})

it.each([
  ['work that listens', polite],
  ['work that does not', deaf],
])('ends %s when all of it is stopped', async (_, work) => {
  const outer = new AbortController()
  const ending = within(60_000, work, outer.signal)
  outer.abort()
  await expect(ending).rejects.toThrow('stopped')
  await expect(within(60_000, work, outer.signal)).rejects.toThrow('stopped')
})

it('tells of work that breaks', async () => {
  const broken = async (): Promise<string> => {
    throw new Error('broken')
  }
  await expect(within(1_000, broken, never)).rejects.toThrow('broken')
})
