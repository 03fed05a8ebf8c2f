import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { Deferred } from '../runtime/deferred.ts'
import { mintKey } from '../domain/api-key.ts'
import { makeLog } from '../observability/log.ts'
import { Signals } from '../store/signals.ts'
import type { Store } from '../store/store.ts'
import { Authenticator } from './authenticate.ts'
import { AuthThrottle } from './limits/auth-throttle.ts'
import { RequestLimits } from './limits/request-limits.ts'

type Found = Awaited<ReturnType<Store['keys']['findKeyByHash']>>

it('a key that is revoked during its lookup is not cached, and the next request reads it again', async () => {
  const { key, stored } = mintKey({ label: '', scopes: ['read'], sessionIds: null })
  const looks: Array<Deferred<Found>> = []
  const findKeyByHash = () => {
    looks.push(new Deferred<Found>())
    return looks.at(-1)!.promise
  }
  const signals = new Signals()
  const store = { signals, keys: { findKeyByHash, touchKeys: async () => {} } } as unknown as Store
  const needs = { store, clock: systemClock, log: makeLog('silent'), publicUrl: () => 'http://localhost' }
  const limits = { requestLimits: new RequestLimits(needs), authThrottle: new AuthThrottle(systemClock) }
  const authenticator = new Authenticator({ ...needs, ...limits })
  const stopping = new AbortController()
  const running = authenticator.run(stopping.signal)
  const headers = { authorization: `Bearer ${key}` }
  const request = { headers, raw: { rawHeaders: Object.entries(headers).flat() }, ip: '127.0.0.1' }
  const ask = async () => await authenticator.authenticate(request as unknown as FastifyRequest)

  const before = ask()
  signals.emit({ about: 'keys', accountId: 'acc_1' })
  const after = ask()
  expect(looks).toHaveLength(2)
  looks[1]!.resolve(undefined)
  await expect(after).rejects.toThrow('missing or invalid API key')
  looks[0]!.resolve({
    hash: stored.hash,
    key: stored,
    account: { id: 'acc_1', plan: 'max', limitOverrides: {} },
  } as never)
  expect((await before).key!.id).toBe(stored.id)
  await expect(ask()).rejects.toThrow('missing or invalid API key')
  stopping.abort()
  await running
})
