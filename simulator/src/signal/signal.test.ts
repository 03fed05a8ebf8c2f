import { randomBytes } from 'node:crypto'
import { Curve } from 'baileys'
import fc from 'fast-check'
import { verifySignature } from 'libsignal/src/curve.js'
import { describe, expect, test } from 'vitest'
import { generateKeyPair, generateSigningKeyPair, sharedSecret, sign, verify, withType } from './curve.ts'
import { createSenderKey, decryptFromGroup, distributionOf, encryptForGroup, readDistribution } from './sender-key.ts'
import { acceptSession, decrypt, encrypt, readPreKeyMessage, type Session, startSession } from './session.ts'

describe('signatures', () => {
  test('the engine accepts the simulator’s signatures, and the simulator the engine’s', () => {
    for (let round = 0; round < 20; round += 1) {
      const pair = generateSigningKeyPair()
      const message = randomBytes(round * 7)
      expect(verifySignature(withType(pair.public), message, sign(pair, message))).toBe(true)
      expect(verify(pair.public, message, sign(pair, message))).toBe(true)
      const other = Curve.generateKeyPair()
      expect(verify(other.public, message, Curve.sign(other.private, message))).toBe(true)
    }
  })

  test('a signature is invalid for another message, key or signature', () => {
    const pair = generateSigningKeyPair()
    const signature = sign(pair, Buffer.from('message'))
    expect(verify(pair.public, Buffer.from('massage'), signature)).toBe(false)
    expect(verify(generateSigningKeyPair().public, Buffer.from('message'), signature)).toBe(false)
    expect(verify(pair.public, Buffer.from('message'), signature.subarray(1))).toBe(false)
    signature[5]! ^= 1
    expect(verify(pair.public, Buffer.from('message'), signature)).toBe(false)
  })

  test('a signing key works for key agreement like any other', () => {
    const [signing, plain] = [generateSigningKeyPair(), generateKeyPair()]
    expect(sharedSecret(signing.private, plain.public)).toEqual(sharedSecret(plain.private, signing.public))
  })
})

function pairOfSessions() {
  const alice = { identity: generateSigningKeyPair(), registrationId: 1 }
  const bob = { identity: generateSigningKeyPair(), registrationId: 2 }
  const signedPreKey = generateKeyPair()
  const preKey = generateKeyPair()
  const session = startSession(alice, {
    registrationId: 2,
    identityKey: bob.identity.public,
    signedPreKey: {
      id: 1,
      publicKey: signedPreKey.public,
      signature: sign(bob.identity, withType(signedPreKey.public)),
    },
    preKey: { id: 9, publicKey: preKey.public },
  })
  const [aliceSession, first] = encrypt(alice, session, Buffer.from('first'))
  const message = readPreKeyMessage(first.body)
  const [bobSession, opened] = decrypt(bob, acceptSession(bob, message, signedPreKey, preKey), message.message)
  return { alice, bob, aliceSession, bobSession, opened }
}

describe('sessions', () => {
  test('a session starts from a bundle', () => {
    expect(pairOfSessions().opened.toString()).toBe('first')
  })

  test('a session does not start from a bundle with a wrong signature', () => {
    const alice = { identity: generateSigningKeyPair(), registrationId: 1 }
    const signedPreKey = { id: 1, publicKey: generateKeyPair().public, signature: randomBytes(64) }
    const identityKey = generateKeyPair().public
    expect(() => startSession(alice, { registrationId: 2, identityKey, signedPreKey })).toThrow('is invalid')
  })

  test('a session decrypts messages in any order within a chain, and none twice', () => {
    const turns = fc.array(
      fc.record({ byAlice: fc.boolean(), count: fc.integer({ min: 1, max: 6 }), seed: fc.nat() }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(turns, plan => {
        const { alice, bob, ...start } = pairOfSessions()
        let [aliceSession, bobSession]: [Session, Session] = [start.aliceSession, start.bobSession]
        for (const { byAlice, count, seed } of plan) {
          let [from, to] = byAlice ? [aliceSession, bobSession] : [bobSession, aliceSession]
          const letters: { body: Buffer; text: string }[] = []
          for (let n = 0; n < count; n += 1) {
            const [next, { type, body }] = encrypt(byAlice ? alice : bob, from, Buffer.from(`letter ${n}`))
            from = next
            letters.push({ body: type === 'pkmsg' ? readPreKeyMessage(body).message : body, text: `letter ${n}` })
          }
          letters.sort((a, b) => ((a.text.charCodeAt(7) * seed) % 7) - ((b.text.charCodeAt(7) * seed) % 7))
          for (const letter of letters) {
            const [next, opened] = decrypt(byAlice ? bob : alice, to, letter.body)
            expect(opened.toString()).toBe(letter.text)
            to = next
            expect(() => decrypt(byAlice ? bob : alice, to, letter.body)).toThrow()
          }
          if (byAlice) [aliceSession, bobSession] = [from, to]
          else [bobSession, aliceSession] = [from, to]
        }
      }),
      { numRuns: 25 },
    )
  })

  test('a session rejects a changed message and continues', () => {
    const { alice, bob, aliceSession, bobSession } = pairOfSessions()
    const [, { body }] = encrypt(bob, bobSession, Buffer.from('answer'))
    const broken = Buffer.from(body)
    broken[broken.length - 12]! ^= 0xff
    expect(() => decrypt(alice, aliceSession, broken)).toThrow()
    expect(decrypt(alice, aliceSession, body)[1].toString()).toBe('answer')
  })
})

describe('sender keys', () => {
  test('each device with the distribution message decrypts in any order, and each message once', () => {
    let own = createSenderKey()
    let remote = readDistribution(distributionOf(own))
    const bodies: Buffer[] = []
    for (let n = 0; n < 5; n += 1) {
      const [next, body] = encryptForGroup(own, Buffer.from(`post ${n}`))
      own = next
      bodies.push(body)
    }
    for (const n of [2, 0, 4, 1, 3]) {
      const [next, opened] = decryptFromGroup(remote, bodies[n]!)
      remote = next
      expect(opened.toString()).toBe(`post ${n}`)
      expect(() => decryptFromGroup(remote, bodies[n]!)).toThrow('used before')
    }
  })
})
