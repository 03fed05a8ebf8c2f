import { Curve } from 'baileys'
import { expect, test } from 'vitest'
import { agree, generateKeyPair, replaceCurve, verifySignature } from './curve.ts'
import { verifySignature as verifyInLibrary } from 'libsignal/src/curve.js'
import { SenderKeyMessage } from 'baileys/lib/Signal/Group/sender-key-message.js'

const MESSAGE = Buffer.from('message')
const { generateKeyPair: generateInLibrary, sharedKey, sign } = { ...Curve }

test('both sides get the same secret, whichever of them uses the library’s own code', () => {
  for (let i = 0; i < 50; i++) {
    const [own, other] = [generateKeyPair(), generateInLibrary()]
    expect([own.public.length, own.private.length]).toEqual([32, 32])
    const typed = Buffer.concat([Buffer.from([5]), own.public])
    expect(agree(own.private, other.public)).toEqual(sharedKey(other.private, typed))
    expect(agree(other.private, typed)).toEqual(sharedKey(own.private, other.public))
  }
})

test('a signature is valid for its key and message, and for no others', () => {
  const [own, other] = [generateKeyPair(), generateKeyPair()]
  const signature = sign(own.private, MESSAGE)
  expect(verifySignature(own.public, MESSAGE, signature)).toBe(true)
  expect(verifySignature(other.public, MESSAGE, signature)).toBe(false)
  expect(verifySignature(own.public, Buffer.from('another'), signature)).toBe(false)
  expect(verifySignature(own.public, MESSAGE, Buffer.alloc(64))).toBe(false)
  expect(verifySignature(own.public, MESSAGE, signature.subarray(1))).toBe(false)
  expect(verifySignature(Buffer.alloc(5), MESSAGE, signature)).toBe(false)
})

test('the library signs group messages that others accept, and rejects forged ones', () => {
  replaceCurve()
  const pair = Curve.generateKeyPair()
  const typed = Buffer.concat([Buffer.from([5]), pair.public])
  const sent = new SenderKeyMessage(1, 2, Buffer.from('ciphertext'), pair.private).serialize()
  expect(verifyInLibrary(typed, sent.subarray(0, -64), sent.subarray(-64))).toBe(true)
  const received = (bytes: Uint8Array) => new SenderKeyMessage(null, null, null, null, bytes)
  received(sent).verifySignature(typed)
  const forged = Buffer.from(sent)
  forged[4]! ^= 1
  expect(() => received(forged).verifySignature(typed)).toThrow('Invalid signature')
  expect(() => received(sent).verifySignature(Buffer.concat([Buffer.from([5]), generateKeyPair().public]))).toThrow()
})
