import { addTransactionCapability, DEFAULT_CONNECTION_CONFIG, initAuthCreds, type SocketConfig } from 'baileys'
import { afterEach, expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../../../runtime/clock.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import { createMemoryKeys } from '../device/memory-keys.ts'
import { makeRepository } from './signal-repository.ts'

const { logger } = DEFAULT_CONNECTION_CONFIG

type Repository = ReturnType<SocketConfig['makeSignalRepository']>

afterEach(() => void vi.restoreAllMocks())

/** A repository around a library that decrypts like this. */
function repositoryOf(decrypt: () => Promise<Uint8Array>, onDecrypted: () => Uint8Array) {
  const lidMapping = { storeLIDPNMappings: async () => {} }
  const library = {
    decryptMessage: decrypt,
    decryptGroupMessage: decrypt,
    injectE2ESession: async () => {},
    lidMapping,
  }
  vi.spyOn(DEFAULT_CONNECTION_CONFIG, 'makeSignalRepository').mockReturnValue(library as unknown as Repository)
  const onUndecryptable = vi.fn(() => undefined)
  const make = makeRepository(onDecrypted, onUndecryptable, () => {}, systemClock)
  const repository = make({} as Parameters<typeof make>[0], {} as Parameters<typeof make>[1])
  const words = { jid: '1@s.whatsapp.net', type: 'msg', ciphertext: new Uint8Array(1) } as const
  return { decrypt: () => repository.decryptMessage(words), onUndecryptable }
}

it('an error of the gateway after decryption does not count as undecryptable', async () => {
  const { decrypt, onUndecryptable } = repositoryOf(
    async () => new Uint8Array(1),
    () => {
      throw new Error('a fault of ours')
    },
  )
  await expect(decrypt()).rejects.toThrow('a fault of ours')
  expect(onUndecryptable).not.toHaveBeenCalled()
})

it('a message that the library cannot decrypt counts as undecryptable', async () => {
  const { decrypt, onUndecryptable } = repositoryOf(
    () => Promise.reject(new Error('Bad MAC')),
    () => new Uint8Array(0),
  )
  await expect(decrypt()).rejects.toThrow('Bad MAC')
  expect(onUndecryptable).toHaveBeenCalledOnce()
})

/** A repository of the library itself, with its keys in memory. */
function realRepository(clock: Pick<Clock, 'now' | 'monotonicMs'> = systemClock) {
  const { store } = createMemoryKeys()
  const options = { maxCommitRetries: 1, delayBetweenTriesMs: 1 }
  const keys = addTransactionCapability(store, logger, options)
  const repository = makeRepository(
    bytes => bytes,
    () => undefined,
    () => {},
    clock,
  )({ creds: initAuthCreds(), keys }, logger)
  return { repository, keys }
}

it('names that nothing needs any more leave the memory, and are still found', async () => {
  let nowMs = 0
  const { lidMapping } = realRepository({ now: () => new Date(nowMs), monotonicMs: () => nowMs }).repository
  const [early, late] = [4, 5].map(n => ({ lid: `10000000000000${n}@lid`, pn: `551190000000${n}@s.whatsapp.net` }))
  await lidMapping.storeLIDPNMappings([early!])
  nowMs = 600_000
  await lidMapping.storeLIDPNMappings([late!])
  const cache = Reflect.get(lidMapping, 'mappingCache') as ExpiringMap<string>
  expect(cache.get('pn:5511900000004')).toBeUndefined()
  expect(cache.get('pn:5511900000005')).toBe('100000000000005')
  expect(await lidMapping.getLIDForPN(early!.pn)).toBe(early!.lid)
})

it('the names of many people take a bounded amount of memory, and all are still found', async () => {
  const { lidMapping } = realRepository().repository
  const pairs = Array.from({ length: 6_000 }, (_, n) => ({
    lid: `${1e14 + n}@lid`,
    pn: `${5511e9 + n}@s.whatsapp.net`,
  }))
  await lidMapping.storeLIDPNMappings(pairs)
  const cache = Reflect.get(lidMapping, 'mappingCache') as ExpiringMap<string>
  expect(cache).toBeInstanceOf(ExpiringMap)
  // The first of more people than the cache holds is read from storage.
  expect(cache.get(`pn:${pairs[0]!.pn.split('@')[0]}`)).toBeUndefined()
  for (const { lid, pn } of [pairs[0]!, pairs.at(-1)!]) {
    expect(await lidMapping.getLIDForPN(pn)).toBe(lid)
    expect(await lidMapping.getPNForLID(lid)).toBe(pn.replace('@', ':0@'))
  }
})

it('names of hosted devices are those of their owner, in either order', async () => {
  const { lidMapping } = realRepository().repository
  const [pn, lid] = ['5511900000001:99@hosted', '100000000000001:99@hosted.lid']
  await lidMapping.storeLIDPNMappings([{ lid: pn, pn: lid }])
  expect(await lidMapping.getLIDForPN('5511900000001@s.whatsapp.net')).toBe('100000000000001@lid')
  expect(await lidMapping.getPNForLID('100000000000001@lid')).toBe('5511900000001:0@s.whatsapp.net')
})

it('a session is found under the hidden identifier of its person, and only there from then on', async () => {
  const { repository, keys } = realRepository()
  const session = { _sessions: {}, version: 'v1' }
  await keys.set({ session: { '5511900000001.3': session as never, '5511900000001_128.99': session as never } })
  expect(await keys.get('session', ['5511900000001.3'])).toHaveProperty(['5511900000001.3'])
  await repository.lidMapping.storeLIDPNMappings([{ lid: '100000000000001@lid', pn: '5511900000001@s.whatsapp.net' }])
  await repository.validateSession('100000000000001:3@lid')
  await repository.validateSession('100000000000001:99@hosted.lid')
  const ids = ['5511900000001.3', '100000000000001_1.3', '5511900000001_128.99', '100000000000001_129.99']
  expect(Object.keys(await keys.get('session', ids))).toEqual(['100000000000001_1.3', '100000000000001_129.99'])
})
