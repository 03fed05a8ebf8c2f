import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SignalKeyStore } from 'baileys'
import { expect, test } from 'vitest'
import { RememberedSet } from './remembered-set.ts'

/** A store whose answers take a turn, as a database's do. */
function slowKeys() {
  const stored = new Map<string, unknown>()
  return {
    async get(category: string, ids: string[]) {
      const found = ids.map(id => [id, stored.get(`${category}/${id}`)]).filter(([, value]) => value)
      await nextTurn()
      return Object.fromEntries(found)
    },
    set(data: Record<string, Record<string, unknown>>) {
      for (const [category, values] of Object.entries(data))
        for (const [id, value] of Object.entries(values)) stored.set(`${category}/${id}`, value)
    },
  } as unknown as SignalKeyStore
}

test('concurrent additions and removals are all applied', async () => {
  const keys = slowKeys()
  const set = new RememberedSet('test', () => keys)
  const names = Array.from({ length: 200 }, (_, i) => `name ${i}`)
  await Promise.all(names.map(name => set.add(name)))
  expect((await set.all()).sort()).toEqual([...names].sort())
  await Promise.all([...names.slice(50).map(name => set.delete(name)), set.add('one more')])
  expect((await set.all()).sort()).toEqual([...names.slice(0, 50), 'one more'].sort())
})
