import { expect, it } from 'vitest'
import { ChangedPeople } from './changed-people.ts'
import { createMemoryKeys } from './memory-keys.ts'

it('tells who has changed since then, and who did so before a restart', async () => {
  const { store } = createMemoryKeys()
  const changed = await ChangedPeople.load(store)
  expect([changed.last, changed.since(0)]).toEqual([0, []])
  for (const person of ['ana', 'ben', 'cleo']) changed.add(person)
  expect(changed.since(1)).toEqual(['ben', 'cleo'])
  const later = await ChangedPeople.load(store)
  expect([later.last, later.since(2)]).toEqual([3, ['cleo']])
})

it('says that it does not know where that is too long ago', async () => {
  const changed = new ChangedPeople(createMemoryKeys().store, [])
  for (let n = 1; n <= 600; n++) changed.add(`person ${n}`)
  expect(changed.since(99)).toBeUndefined()
  expect(changed.since(100)).toHaveLength(500)
  expect(changed.since(600)).toEqual([])
})
