import { expect, it } from 'vitest'
import { JobRing } from './job-ring.ts'

it.each([
  { added: '', taken: '' },
  { added: 'a1 a2 a3', taken: 'a1 a2 a3' },
  { added: 'a1 a2 a3 b1 c1', taken: 'a1 b1 c1 a2 a3' },
  { added: 'a1 b1 a2 b2', taken: 'a1 b1 a2 b2' },
])('of $added is taken $taken', ({ added, taken }) => {
  const ring = new JobRing<{ owner: string; name: string }>()
  for (const name of added.split(' ').filter(Boolean)) ring.add({ owner: name[0]!, name })
  const order: string[] = []
  for (let job = ring.take(); job; job = ring.take()) order.push(job.name)
  expect(order.join(' ')).toBe(taken)
})

it('what is removed is not taken, and is removed once', () => {
  const ring = new JobRing<{ owner: string }>()
  const [one, other] = [{ owner: 'a' }, { owner: 'a' }]
  ring.add(one)
  ring.add(other)
  expect([ring.remove(one), ring.remove(one)]).toEqual([true, false])
  expect([ring.take(), ring.take()]).toEqual([other, undefined])
})
