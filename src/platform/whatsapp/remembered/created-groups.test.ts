import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SignalKeyStore } from 'baileys'
import { expect, test } from 'vitest'
import { CreatedGroups } from './created-groups.ts'

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

const keys = Array.from({ length: 50 }, (_, n) => `key ${n}`)

const begunAtOnce = async (): Promise<CreatedGroups> => {
  const store = slowKeys()
  const created = new CreatedGroups(() => store, { now: () => new Date() })
  await Promise.all(keys.map(key => created.begin(key, 'same request')))
  return created
}

test('creations of groups that begin at once are all remembered', async () => {
  const created = await begunAtOnce()
  const found = await Promise.all(keys.map(key => created.find(key)))
  expect(found.filter(each => each === undefined)).toEqual([])
})

test('two creations whose answers were lost never take the same group', async () => {
  const created = await begunAtOnce()
  const groups = keys.slice(1).map((_, n) => `${n}@g.us`)
  const claimed = await Promise.all(keys.map(key => created.claim(key, groups)))
  expect(claimed).toEqual([...groups, undefined])
  expect((await created.find(keys[0]!))?.jid).toBe(groups[0])
})
