import { expect, test } from 'vitest'
import type { DeviceChange } from '../../platform.ts'
import { createJournal } from './journal.ts'

function setUp() {
  const commits: DeviceChange[] = []
  const waiting: Array<{ resolve(): void; reject(error: Error): void }> = []
  let failed: unknown
  const journal = createJournal({
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
  return { journal, commits, waiting, turn, failed: () => failed }
}

const key = (id: string, value = id) => ({ keys: [{ category: 'session', id, value: Buffer.from(value) }] })
const item = (name: string) => ({ inbox: [{ key: name, kind: 'message', receivedAtMs: 1, body: Buffer.alloc(0) }] })
const ids = (change: DeviceChange | undefined) => change?.keys?.map(({ id }) => id)

test('what happens together is one commit, and only one is under way', async () => {
  const { journal, commits, waiting, turn } = setUp()
  journal.append(key('a'))
  journal.append({ creds: true })
  await turn()
  journal.append(key('b'))
  await turn()
  expect(commits).toEqual([{ creds: Buffer.from('creds now'), keys: key('a').keys }])
  expect(journal.committed()).toBe(0)
  waiting[0]!.resolve()
  await turn()
  expect(journal.committed()).toBe(2)
  expect(ids(commits[1])).toEqual(['b'])
})

test('nothing after an open slot is written before it is filled, and then all of it together', async () => {
  const { journal, commits, waiting, turn } = setUp()
  journal.append(key('before'))
  const slot = journal.reserve()
  journal.append(key('changed by the message'))
  await turn()
  expect(commits.map(ids)).toEqual([['before']])
  waiting[0]!.resolve()
  await turn()
  expect(commits.length).toBe(1)
  slot.fill(item('the message'))
  await turn()
  expect(commits[1]).toMatchObject({ ...item('the message'), ...key('changed by the message') })
  waiting[1]!.resolve()
  await turn()
  expect(journal.committed()).toBe(journal.tail())
})

test('keys that are not durable yet are seen by reads', async () => {
  const { journal, waiting, turn } = setUp()
  journal.append(key('a', 'one'))
  await turn()
  journal.append({ keys: [{ category: 'session', id: 'a', value: null }] })
  expect(journal.buffered('session', 'a')).toBeNull()
  waiting[0]!.resolve()
  await turn()
  expect(journal.buffered('session', 'a')).toBeNull()
  waiting[1]!.resolve()
  await turn()
  expect(journal.buffered('session', 'a')).toBeUndefined()
})

test('the last write of a key within a commit is the one that counts', async () => {
  const { journal, commits, turn } = setUp()
  journal.append(key('a', 'one'))
  journal.append(key('a', 'two'))
  await turn()
  expect(commits[0]).toEqual(key('a', 'two'))
})

test('nobody waits for what is deferred', async () => {
  const { journal, commits, turn } = setUp()
  const before = journal.tail()
  journal.appendDeferred(item('presence'))
  expect(journal.tail()).toBe(before)
  await turn()
  expect(commits[0]).toEqual(item('presence'))
})

test('after a commit that failed nothing is written any more', async () => {
  const { journal, commits, waiting, turn, failed } = setUp()
  journal.append(key('a'))
  await turn()
  journal.append(key('b'))
  waiting[0]!.reject(new Error('disk full'))
  await turn()
  expect(failed()).toBeInstanceOf(Error)
  expect(journal.hasEnded()).toBe(true)
  journal.append(key('c'))
  await turn()
  expect(commits.length).toBe(1)
  expect(journal.committed()).toBe(0)
})
