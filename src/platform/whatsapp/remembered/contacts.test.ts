import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SignalKeyStore } from 'baileys'
import { describe, expect, test } from 'vitest'
import { CheckBudget } from './check-budget.ts'
import { ContactNames } from './contact-names.ts'

/** A store whose answers take a turn, as a database's do. */
function slowKeys(): () => SignalKeyStore {
  const stored = new Map<string, unknown>()
  const keys = {
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
  return () => keys
}

describe('The daily budget of checks', () => {
  test('is never exceeded by concurrent requests, and begins again with the next day in UTC', async () => {
    let now = new Date('2026-05-01T23:59:59Z')
    const budget = new CheckBudget(slowKeys(), { now: () => now }, 100)
    const taken = await Promise.all(Array.from({ length: 5 }, () => budget.take(30)))
    expect(taken.map(({ isTaken, left }) => [isTaken, left])).toEqual([
      [true, 70],
      [true, 40],
      [true, 10],
      [false, 10],
      [false, 10],
    ])
    expect(taken[0]).toMatchObject({ limit: 100, resetsAtMs: Date.parse('2026-05-02T00:00:00Z') })
    now = new Date('2026-05-02T00:00:00Z')
    expect(await budget.take(100)).toMatchObject({ isTaken: true, left: 0 })
  })
})

describe('The name of a contact', () => {
  test('is a change only if the person had another one before, also when the same message is read again', async () => {
    const names = new ContactNames(slowKeys())
    expect(await names.note('a@lid', 'Ana', 'M1')).toBeUndefined()
    expect(await names.note('a@lid', 'Ana', 'M2')).toBeUndefined()
    expect(await names.note('a@lid', '', 'M3')).toBeUndefined()
    expect(await names.note('a@lid', 'Ana B.', 'M4')).toBe('Ana B.')
    expect(await names.note('a@lid', 'Ana B.', 'M4')).toBe('Ana B.')
    expect(await names.note('a@lid', 'Ana B.', 'M5')).toBeUndefined()
    expect(await names.find([null, undefined, 'b@lid', 'a@lid'])).toBe('Ana B.')
  })

  test('is cut if a sender claims a longer one than the apps allow', async () => {
    const names = new ContactNames(slowKeys())
    await names.note('a@lid', 'x'.repeat(5_000), 'M1')
    expect(await names.find(['a@lid'])).toHaveLength(100)
  })
})
