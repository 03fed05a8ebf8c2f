import { Curve } from 'baileys'
import { expect, test } from 'vitest'
import { generateKeyPair } from './key-pair.ts'

test('key pairs work with the ones of the library: both sides get the same secret', () => {
  for (let i = 0; i < 50; i++) {
    const [own, other] = [generateKeyPair(), Curve.generateKeyPair()]
    expect([own.public.length, own.private.length]).toEqual([32, 32])
    expect(Curve.sharedKey(own.private, other.public)).toEqual(Curve.sharedKey(other.private, own.public))
  }
})

test('their signatures are valid for the public key', () => {
  const own = generateKeyPair()
  const signature = Curve.sign(own.private, Buffer.from('message'))
  expect(Curve.verify(own.public, Buffer.from('message'), signature)).toBe(true)
})
