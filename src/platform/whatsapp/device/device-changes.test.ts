import { expect, it, test } from 'vitest'
import type { DeviceChange } from '../../platform.ts'
import { DeviceChanges, type GatheredChange, mergeChanges } from './device-changes.ts'

function setUp() {
  const commits: DeviceChange[] = []
  const waiting: Array<{ resolve(): void; reject(error: Error): void }> = []
  let failed: unknown
  const changes = new DeviceChanges({
    commit: change =>
      new Promise((resolve, reject) => {
        commits.push(change)
        waiting.push({ resolve, reject })
      }),
    readCreds: () => Buffer.from('creds now'),
    onCommitted: () => {},
    onFailure: error => {
      failed = error
    },
  })
  const turn = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  return { changes, commits, waiting, turn, failed: () => failed }
}

const key = (id: string, value = id) => ({ keys: [{ category: 'session', id, value: Buffer.from(value) }] })
const item = (name: string) => ({ inbox: [{ key: name, kind: 'message', receivedAtMs: 1, body: Buffer.alloc(0) }] })
const ids = (change: DeviceChange | undefined) => change?.keys?.map(({ id }) => id)

test('changes that arrive together share a commit, and one commit runs at a time', async () => {
  const { changes, commits, waiting, turn } = setUp()
  changes.add(key('a'))
  changes.add({ creds: true })
  await turn()
  changes.add(key('b'))
  await turn()
  expect(commits).toEqual([{ creds: Buffer.from('creds now'), keys: key('a').keys }])
  expect(changes.committed()).toBe(0)
  waiting[0]!.resolve()
  await turn()
  expect(changes.committed()).toBe(2)
  expect(ids(commits[1])).toEqual(['b'])
})

test('changes after an open place are committed together with it when it is filled', async () => {
  const { changes, commits, waiting, turn } = setUp()
  changes.add(key('before'))
  const place = changes.reserve()
  changes.add(key('changed by the message'))
  await turn()
  expect(commits.map(ids)).toEqual([['before']])
  waiting[0]!.resolve()
  await turn()
  expect(commits.length).toBe(1)
  place.fill(item('the message'))
  await turn()
  expect(commits[1]).toMatchObject({ ...item('the message'), ...key('changed by the message') })
  waiting[1]!.resolve()
  await turn()
  expect(changes.committed()).toBe(changes.tail())
})

test('reads see keys that are not durable yet', async () => {
  const { changes, waiting, turn } = setUp()
  changes.add(key('a', 'one'))
  await turn()
  changes.add({ keys: [{ category: 'session', id: 'a', value: null }] })
  expect(changes.uncommitted('session', 'a')).toBeNull()
  waiting[0]!.resolve()
  await turn()
  expect(changes.uncommitted('session', 'a')).toBeNull()
  waiting[1]!.resolve()
  await turn()
  expect(changes.uncommitted('session', 'a')).toBeUndefined()
})

test('the last write of a key within a commit wins', async () => {
  const { changes, commits, turn } = setUp()
  changes.add(key('a', 'one'))
  changes.add(key('a', 'two'))
  await turn()
  expect(commits[0]).toEqual(key('a', 'two'))
})

test('an unawaited change does not move the tail that frames wait for', async () => {
  const { changes, commits, turn } = setUp()
  const before = changes.tail()
  changes.addUnawaited(item('presence'))
  expect(changes.tail()).toBe(before)
  await turn()
  expect(commits[0]).toEqual(item('presence'))
})

test('nothing is committed after a commit has failed', async () => {
  const { changes, commits, waiting, turn, failed } = setUp()
  changes.add(key('a'))
  await turn()
  changes.add(key('b'))
  waiting[0]!.reject(new Error('disk full'))
  await turn()
  expect(failed()).toBeInstanceOf(Error)
  expect(changes.hasEnded()).toBe(true)
  changes.add(key('c'))
  await turn()
  expect(commits.length).toBe(1)
  expect(changes.committed()).toBe(0)
})

const creds = Buffer.from('creds now')
const keyChange = (id: string, value: string | null) => ({
  category: 'session',
  id,
  value: value === null ? null : Buffer.from(value),
})
const inboxItem = (name: string) => ({ key: name, kind: 'message', receivedAtMs: 1, body: Buffer.alloc(0) })

it.each<{ name: string; changes: GatheredChange[]; merged: DeviceChange }>([
  { name: 'nothing', changes: [], merged: {} },
  { name: 'empty ones', changes: [{}, { keys: [], inbox: [] }], merged: {} },
  { name: 'credentials, read once', changes: [{ creds: true }, { creds: true }], merged: { creds } },
  {
    name: 'the last of a key, at the place of the first',
    changes: [{ keys: [keyChange('a', 'one'), keyChange('b', 'one')] }, { keys: [keyChange('a', 'two')] }],
    merged: { keys: [keyChange('a', 'two'), keyChange('b', 'one')] },
  },
  {
    name: 'a key that is removed',
    changes: [{ keys: [keyChange('a', 'one')] }, { keys: [keyChange('a', null)] }],
    merged: { keys: [keyChange('a', null)] },
  },
  {
    name: 'items in order, and the finished messages',
    changes: [{ inbox: [inboxItem('1')], finished: ['x'] }, { inbox: [inboxItem('2')] }, { finished: ['y'] }],
    merged: { inbox: [inboxItem('1'), inboxItem('2')], finished: ['x', 'y'] },
  },
])('changes merge: $name', ({ changes, merged }) => expect(mergeChanges(changes, () => creds)).toEqual(merged))

test('changes behind an open place are durable only when the place is filled and committed', async () => {
  const { changes, commits, waiting, turn } = setUp()
  const place = changes.reserve()
  changes.add(key('a'))
  let isDurable: boolean | undefined
  const durable = changes.areDurable().then(answer => (isDurable = answer))
  await turn()
  expect({ isDurable, commits }).toEqual({ isDurable: undefined, commits: [] })
  place.fill({})
  await turn()
  expect(isDurable).toBeUndefined()
  waiting[0]!.resolve()
  await durable
  expect({ isDurable, commits: commits.length }).toEqual({ isDurable: true, commits: 1 })
})

test('changes that are abandoned are never durable', async () => {
  const { changes } = setUp()
  changes.reserve()
  changes.add(key('a'))
  const durable = changes.areDurable()
  changes.abandon()
  expect(await durable).toBe(false)
})
