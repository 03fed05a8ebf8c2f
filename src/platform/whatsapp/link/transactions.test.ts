import { AsyncLocalStorage } from 'node:async_hooks'
import { addTransactionCapability, type SignalDataSet, type SignalKeyStore } from 'baileys'
import { expect, test } from 'vitest'
import { StorageUnavailable } from '../../platform.ts'
import { withSharedStorage } from '../engine/shared-storage.ts'
import { type Transaction, watchTransactions } from './transactions.ts'

const quiet = {
  level: 'silent',
  child: () => quiet,
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
}

function setUp() {
  const written: SignalDataSet[] = []
  const ended: Array<[Transaction, boolean]> = []
  const store = { get: async (): Promise<object> => ({}), set: async (data: SignalDataSet) => void written.push(data) }
  const options = { maxCommitRetries: 1, delayBetweenTriesMs: 1 }
  const keys = withSharedStorage(() => addTransactionCapability(store as unknown as SignalKeyStore, quiet, options))
  const transactions = watchTransactions(
    keys,
    () => written.length,
    (transaction, failed) => ended.push([transaction, failed]),
  )
  return { keys, store, transactions, written, ended }
}

test('code inside a transaction sees it, and its end comes after its changes are added', async () => {
  const { keys, transactions, written, ended } = setUp()
  expect(transactions.current()).toBeUndefined()
  await keys.transaction(async () => {
    expect(transactions.current()).toBeDefined()
    await keys.set({ 'device-list': { a: ['0'] } })
    expect(written).toEqual([])
  }, 'x')
  expect(written.length).toBe(1)
  expect(ended).toEqual([[{ endedAt: { position: 1 }, hasFrame: false }, false]])
  expect(transactions.current()).toBeUndefined()
})

test('a transaction inside another is part of it', async () => {
  const { keys, transactions, ended } = setUp()
  await keys.transaction(async () => {
    const outer = transactions.current()
    await keys.transaction(async () => expect(transactions.current()).toBe(outer), 'y')
  }, 'x')
  expect(ended.length).toBe(1)
})

test('a failed transaction is reported as failed', async () => {
  const { keys, ended } = setUp()
  await expect(keys.transaction(() => Promise.reject(new Error('no')), 'x')).rejects.toThrow('no')
  expect(ended[0]?.[1]).toBe(true)
})

test('the changes of work that outlives its transaction are not lost', async () => {
  const { keys, written } = setUp()
  let later: Promise<void> | undefined
  await keys.transaction(async () => {
    later = new Promise<void>(resolve => setTimeout(resolve, 5)).then(() =>
      keys.set({ 'device-list': { late: ['1'] } }),
    )
  }, 'x')
  await later
  expect(written).toEqual([{ 'device-list': { late: ['1'] } }])
})

test('a timer that was set inside a transaction keeps nothing of it in memory', async () => {
  const { keys, transactions } = setUp()
  let inside = AsyncLocalStorage.snapshot()
  await keys.transaction(async () => {
    inside = AsyncLocalStorage.snapshot()
    expect(inside(() => keys.isInTransaction())).toBe(true)
  }, 'x')
  expect(inside(() => keys.isInTransaction())).toBe(false)
  expect(inside(() => transactions.current())).toBeUndefined()
  await inside(() => keys.set({ 'device-list': { late: ['1'] } }))
})

test('a key that could not be read fails the transaction, even if the library goes on without it', async () => {
  const { keys, store, ended } = setUp()
  const away = new StorageUnavailable('the state of a device cannot be read now')
  store.get = () => Promise.reject(away)
  const swallowing = keys.transaction(async () => {
    await Promise.resolve(keys.get('session', ['1.0'])).catch(() => ({}))
    return 'a message without that device'
  }, 'x')
  await expect(swallowing).rejects.toBe(away)
  const renaming = keys.transaction(async () => {
    await Promise.resolve(keys.get('session', ['1.0'])).catch(() => Promise.reject(new Error('All encryptions failed')))
  }, 'x')
  await expect(renaming).rejects.toBe(away)
  expect(ended.map(([, failed]) => failed)).toEqual([true, true])
})
