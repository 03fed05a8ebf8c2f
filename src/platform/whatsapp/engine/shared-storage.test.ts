import asyncHooks from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { addTransactionCapability } from 'baileys'
import { expect, it, vi } from 'vitest'
import { createMemoryKeys } from '../device/memory-keys.ts'
import { SharedStorage, withSharedStorage } from './shared-storage.ts'
import { baseConfig, directRoute, mediaRouteOf } from './socket-config.ts'

const quiet = baseConfig({ kind: 'whatsapp' }, directRoute(mediaRouteOf({ kind: 'whatsapp' }, 1_000)), 1_000).logger

it('each storage sees its own value, across awaits and when nested', async () => {
  const [one, other] = [new SharedStorage<string>(), new SharedStorage<string>()]
  const seen: unknown[] = []
  await Promise.all([
    one.run('a', async () => {
      await sleep(1)
      seen.push([one.getStore(), other.getStore()])
      await other.run('b', async () => {
        await sleep(1)
        seen.push([one.getStore(), other.getStore()])
      })
      seen.push([one.getStore(), other.getStore()])
    }),
    other.run('c', async () => {
      await sleep(2)
      expect([one.getStore(), other.getStore()]).toEqual([undefined, 'c'])
    }),
  ])
  expect(seen).toEqual([
    ['a', undefined],
    ['a', 'b'],
    ['a', undefined],
  ])
  expect(one.getStore()).toBeUndefined()
})

it("the library's transactions use the shared storage, and other code does not", async () => {
  const original = asyncHooks.AsyncLocalStorage
  const keys = withSharedStorage(() =>
    addTransactionCapability(createMemoryKeys().store, quiet, { maxCommitRetries: 1, delayBetweenTriesMs: 1 }),
  )
  expect(asyncHooks.AsyncLocalStorage).toBe(original)
  const run = vi.spyOn(SharedStorage.prototype, 'run')
  await keys.transaction(async () => {
    expect(keys.isInTransaction()).toBe(true)
    await keys.set({ 'lid-mapping': { a: 'b' } })
  }, 'x')
  expect(run).toHaveBeenCalledOnce()
  expect(keys.isInTransaction()).toBe(false)
  expect(await keys.get('lid-mapping', ['a'])).toEqual({ a: 'b' })
})
