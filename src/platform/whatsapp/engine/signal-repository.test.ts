import { DEFAULT_CONNECTION_CONFIG, type SocketConfig } from 'baileys'
import { afterEach, expect, it, vi } from 'vitest'
import { makeRepository } from './signal-repository.ts'

type Repository = ReturnType<SocketConfig['makeSignalRepository']>

afterEach(() => void vi.restoreAllMocks())

/** A repository around a library that decrypts like this. */
function repositoryOf(decrypt: () => Promise<Uint8Array>, onDecrypted: () => Uint8Array) {
  const library = { decryptMessage: decrypt, decryptGroupMessage: decrypt, injectE2ESession: async () => {} }
  vi.spyOn(DEFAULT_CONNECTION_CONFIG, 'makeSignalRepository').mockReturnValue(library as unknown as Repository)
  const onUndecryptable = vi.fn(() => undefined)
  const make = makeRepository(onDecrypted, onUndecryptable, () => {})
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
