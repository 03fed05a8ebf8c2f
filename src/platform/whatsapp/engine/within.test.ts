import { expect, it } from 'vitest'
import { systemClock } from '../../../clock.ts'
import { within } from './within.ts'

const never = new Promise<string>(() => {})

it('work that ends in time gives its outcome, also a failure', async () => {
  expect(await within(systemClock, 10_000, Promise.resolve('done'))).toBe('done')
  await expect(within(systemClock, 10_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
})

it('work that takes longer gives nothing, and may fail later without harm', async () => {
  let fail = (_error: Error): void => {}
  const work = new Promise<string>((_, reject) => (fail = reject))
  expect(await within(systemClock, 5, work)).toBeUndefined()
  fail(new Error('late'))
})

it('whoever stops has no outcome', async () => {
  const stopping = new AbortController()
  const outcome = within(systemClock, 10_000, never, stopping.signal)
  stopping.abort()
  await expect(outcome).rejects.toThrow()
})
