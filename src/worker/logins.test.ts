import { expect, it } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { Logins, concurrentLogins } from './logins.ts'

it.each([
  ['one more with each that was answered', 4, 'answered', 5],
  ['and no more than that', 16, 'answered', 16],
  ['half as many where there was no answer', 16, 'unanswered', 8],
  ['and no fewer than these', 4, 'unanswered', 4],
] as const)('%s', (_, now, end, next) => expect(concurrentLogins(now, end)).toBe(next))

it('so many log in at once, and who waits is let in when one has ended', async () => {
  const logins = new Logins({ clock: systemClock })
  const { signal } = new AbortController()
  const turns = Array.from({ length: 6 }, () => logins.acquireSlot(signal))
  const ends = await Promise.all(turns.slice(0, 4))
  expect(logins.unfinished).toBe(6)
  let isIn = false
  void turns[4]!.then(() => (isIn = true))
  await Promise.resolve()
  expect(isIn).toBe(false)
  ends[0]!('answered')
  await turns[4]
  await turns[5]
  expect(logins.unfinished).toBe(5)
})

it('who gives up waiting has no turn', async () => {
  const logins = new Logins({ clock: systemClock })
  const waiting = new AbortController()
  for (let i = 0; i < 4; i++) await logins.acquireSlot(waiting.signal)
  const turn = logins.acquireSlot(waiting.signal)
  waiting.abort()
  await turn
  expect(logins.unfinished).toBeLessThanOrEqual(4)
})

it('a login through a proxy that does not answer delays no login without one', async () => {
  const logins = new Logins({ clock: systemClock })
  const { signal } = new AbortController()
  const hanging = Array.from({ length: 100 }, () => logins.acquireSlot(signal, true))
  await hanging[0]
  for (let i = 0; i < 4; i++) await logins.acquireSlot(signal)
  expect(logins.unfinished).toBe(4)
})
