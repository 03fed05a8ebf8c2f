import { createDecipheriv } from 'node:crypto'
import { proto } from 'baileys'
import { describe, expect, it } from 'vitest'
import {
  encryptedPairingRequest,
  handoffKey,
  handoffProof,
  pairingKey,
  prologuePayload,
  readPrimaryIdentity,
  verificationCode,
} from './ceremony-crypto.ts'

/** 32 bytes that count up from there. */
const from = (first: number): Buffer => Buffer.from(Array.from({ length: 32 }, (_, index) => (first + index) % 256))
const identity = { publicKey: from(5), deviceType: 1, ref: '2@ref' }

describe('the ceremony, against values of another implementation', () => {
  it('the key of the handoff and its proof', () => {
    const key = handoffKey(from(0))
    expect(key.toString('hex')).toBe('bf71b722a793d4f9d2c8e46ad45266621b5d4c5273cca92d93068648346c10a5')
    expect(handoffProof(key, Buffer.from('prologue')).toString('hex')).toBe(
      '9ccd26dfa5238f3a64f47da3760b30431412eda7080c5daa68fa6a596d3b75bb',
    )
  })

  it('the prologue commits to the nonce', () => {
    expect(prologuePayload(identity, from(6)).toString('hex')).toBe(
      '0a2b0a2005060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232410011a053240726566' +
        '12220a20a00200d9c1376c35a5f0eef0ebed6e64beae8bf25c4ec097ea121c1c8aadafe1',
    )
  })

  it.each([
    [from(1), from(2), from(3), '3MZW-CEYR'],
    [from(9), from(8), Buffer.alloc(32), '66DZ-BMSV'],
    [Buffer.alloc(32, 255), from(7), from(200), 'SJH4-CA46'],
  ])('the code to compare, %#', (companionNonce, publicKey, nonce, code) => {
    expect(verificationCode(companionNonce, { publicKey, nonce })).toBe(code)
  })

  it('the key that the pairing request is encrypted under', () => {
    expect(pairingKey(from(64), identity).toString('hex')).toBe(
      'e2a71e859d7983400206b47779bb66784dea08d24e3d79eaeacb7769987a8866',
    )
  })
})

it('the pairing request holds our public keys and the new secret, and a tag at its end', () => {
  const keys = { noiseKey: from(1), identityKey: from(2), advSecret: from(3) }
  const encoded = encryptedPairingRequest(from(4), Buffer.alloc(12, 7), keys)
  const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(encoded)
  const payload = Buffer.from(encryptedPayload!)
  const decipher = createDecipheriv('aes-256-gcm', from(4), iv!)
  decipher.setAuthTag(payload.subarray(-16))
  const request = proto.PairingRequest.decode(
    Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()]),
  )
  expect(Buffer.from(request.companionPublicKey!)).toEqual(from(1))
  expect(Buffer.from(request.companionIdentityKey!)).toEqual(from(2))
  expect(Buffer.from(request.advSecret!)).toEqual(from(3))
})

it.each([
  ['both parts', { publicKey: from(1), nonce: from(2) }, true],
  ['no nonce', { publicKey: from(1) }, false],
  ['a short key', { publicKey: from(1).subarray(1), nonce: from(2) }, false],
  ['a long nonce', { publicKey: from(1), nonce: Buffer.alloc(33) }, false],
])('the phone’s identity with %s', (_, parts, good) => {
  expect(readPrimaryIdentity(proto.PrimaryEphemeralIdentity.encode(parts).finish()) !== undefined).toBe(good)
})

it('bytes that cannot be decoded are no identity', () => {
  expect(readPrimaryIdentity(Buffer.from('ffffff', 'hex'))).toBeUndefined()
})
