import { expect, it } from 'vitest'
import { ChangedPeople } from './changed-people.ts'
import { createMemoryKeys } from './memory-keys.ts'

it('the people who changed since a position are returned, also those from before a restart', async () => {
  const { store } = createMemoryKeys()
  const changed = await ChangedPeople.load(store)
  expect([changed.last, changed.since(0)]).toEqual([0, []])
  for (const person of ['ana', 'ben', 'cleo']) changed.add(person)
  expect(changed.since(1)).toEqual(['ben', 'cleo'])
  const later = await ChangedPeople.load(store)
  expect([later.last, later.since(2)]).toEqual([3, ['cleo']])
})

it('a position that is too old returns undefined', async () => {
  const changed = new ChangedPeople(createMemoryKeys().store, [])
  for (let n = 1; n <= 600; n++) changed.add(`person ${n}`)
  expect(changed.since(99)).toBeUndefined()
  expect(changed.since(100)).toHaveLength(500)
  expect(changed.since(600)).toEqual([])
})
