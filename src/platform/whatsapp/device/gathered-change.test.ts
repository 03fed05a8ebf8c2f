import { expect, it } from 'vitest'
import type { DeviceChange } from '../../platform.ts'
import { type GatheredChange, mergeChanges } from './gathered-change.ts'

const creds = Buffer.from('creds now')
const key = (id: string, value: string | null) => ({
  category: 'session',
  id,
  value: value === null ? null : Buffer.from(value),
})
const item = (name: string) => ({ key: name, kind: 'message', receivedAtMs: 1, body: Buffer.alloc(0) })

it.each<{ name: string; changes: GatheredChange[]; merged: DeviceChange }>([
  { name: 'nothing', changes: [], merged: {} },
  { name: 'empty ones', changes: [{}, { keys: [], inbox: [] }], merged: {} },
  { name: 'credentials, read once', changes: [{ creds: true }, { creds: true }], merged: { creds } },
  {
    name: 'the last of a key, where the first stood',
    changes: [{ keys: [key('a', 'one'), key('b', 'one')] }, { keys: [key('a', 'two')] }],
    merged: { keys: [key('a', 'two'), key('b', 'one')] },
  },
  {
    name: 'a key that is removed',
    changes: [{ keys: [key('a', 'one')] }, { keys: [key('a', null)] }],
    merged: { keys: [key('a', null)] },
  },
  {
    name: 'items in order, and what has ended',
    changes: [{ inbox: [item('1')], finished: ['x'] }, { inbox: [item('2')] }, { finished: ['y'] }],
    merged: { inbox: [item('1'), item('2')], finished: ['x', 'y'] },
  },
])('changes merge: $name', ({ changes, merged }) => expect(mergeChanges(changes, () => creds)).toEqual(merged))
