import { ProtocolAddress, SessionCipher, SessionRecord } from 'libsignal'
import { expect, test } from 'vitest'
import { generateKeyPair, generateSigningKeyPair, sign, withType } from '../../simulator/signal/curve.ts'
import { decrypt, encrypt, type Session, startSession } from '../../simulator/signal/session.ts'
import { decodeKey, encodeKey } from './key-codec.ts'
import { silenceLibrary } from './quiet-console.ts'

silenceLibrary()

/** The library's end of a conversation, its session stored as the gateway stores it, and a phone's end. */
function conversation() {
  const [identity, signedPreKey] = [generateSigningKeyPair(), generateKeyPair()]
  let stored: Uint8Array | undefined
  const libraryPair = (pair: { public: Uint8Array; private: Uint8Array }) => ({
    pubKey: withType(pair.public),
    privKey: Buffer.from(pair.private),
  })
  const storage = {
    loadSession: async () =>
      stored === undefined ? null : SessionRecord.deserialize(decodeKey('session', stored) as Uint8Array),
    storeSession: async (_: string, record: SessionRecord) => {
      stored = encodeKey('session', record.serialize())
    },
    isTrustedIdentity: () => true,
    loadPreKey: async () => undefined,
    removePreKey: () => {},
    loadSignedPreKey: () => libraryPair(signedPreKey),
    getOurRegistrationId: () => 2,
    getOurIdentity: () => libraryPair(identity),
  }
  const number = new SessionCipher(storage, new ProtocolAddress('49151', 0))
  const phone = { identity: generateSigningKeyPair(), registrationId: 1 }
  let session: Session = startSession(phone, {
    registrationId: 2,
    identityKey: identity.public,
    signedPreKey: {
      id: 1,
      publicKey: signedPreKey.public,
      signature: sign(identity, withType(signedPreKey.public)),
    },
  })
  return {
    write: (text: string) => {
      const [next, message] = encrypt(phone, session, Buffer.from(text))
      session = next
      return message
    },
    read: async ({ type, body }: { type: string; body: Buffer }) =>
      (
        await (type === 'pkmsg' ? number.decryptPreKeyWhisperMessage(body) : number.decryptWhisperMessage(body))
      ).toString(),
    answer: async (text: string) => {
      const { body } = await number.encrypt(Buffer.from(text))
      const [next, opened] = decrypt(phone, session, Buffer.from(body as unknown as Uint8Array))
      session = next
      return opened.toString()
    },
    storedBytes: () => stored?.length ?? 0,
  }
}

test('a stored session does not grow with the turns of a conversation, and reads a message that comes 100 turns late', async () => {
  const { write, read, answer, storedBytes } = conversation()
  expect(await read(write('hello'))).toBe('hello')
  expect(await answer('hello back')).toBe('hello back')
  const late = write('I am late')
  const sizes: number[] = []
  for (let turn = 0; turn < 100; turn += 1) {
    expect(await read(write(`question ${turn}`))).toBe(`question ${turn}`)
    expect(await answer(`answer ${turn}`)).toBe(`answer ${turn}`)
    sizes.push(storedBytes())
  }
  expect(Math.max(...sizes.slice(10)) - sizes[10]!).toBeLessThan(20)
  expect(await read(late)).toBe('I am late')
  await expect(read(late)).rejects.toThrow()
  expect(await read(write('one more'))).toBe('one more')
})
