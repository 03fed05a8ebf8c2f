import { expect, test } from 'vitest'
import { withoutSpentChains } from './key-codec.ts'

test('a contact that leaves out messages in every turn makes its session no longer: the newest chains stay', () => {
  const left = { 1: 'key', 2: 'key' }
  const closed = Array.from({ length: 50 }, (_, n) => [`left out ${n}`, { chainKey: {}, messageKeys: left }])
  const spent = Array.from({ length: 50 }, (_, n) => [`spent ${n}`, { chainKey: {}, messageKeys: {} }])
  const open = [['open', { chainKey: { key: 'k' }, messageKeys: left }]]
  const record = { _sessions: { one: { _chains: Object.fromEntries([...open, ...closed, ...spent]) } } }
  expect(Object.keys(withoutSpentChains(record)._sessions.one._chains)).toEqual([
    'open',
    ...[45, 46, 47, 48, 49].map(n => `left out ${n}`),
    ...[45, 46, 47, 48, 49].map(n => `spent ${n}`),
  ])
})
