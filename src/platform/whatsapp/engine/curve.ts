import { Curve, type KeyPair } from 'baileys'
import { SenderKeyMessage } from 'baileys/lib/Signal/Group/sender-key-message.js'
import signalCurve from 'libsignal/src/curve.js'
import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto'
import { calculateSignature, verifySignature as verifyWithType } from 'whatsapp-rust-bridge'

/** Signal writes this byte before the 32 bytes of a public key. */
const KEY_TYPE = 5
const X25519 = { kty: 'OKP', crv: 'X25519' }
const AS_JWK = { publicKeyEncoding: { format: 'jwk' }, privateKeyEncoding: { format: 'jwk' } }

/**
 * Makes the library use this file for Curve25519. Its own code parses DER for every agreement, and signs and verifies in
 * plain JavaScript: an agreement takes 7 times as long, a signature 50 times (14 ms for each group message, sent or
 * received). Its check of an identity accepts any well-formed signature besides.
 */
export function replaceCurve(): void {
  Object.assign(Curve, { generateKeyPair, sharedKey: agree, sign: calculateSignature, verify: verifySignature })
  Object.assign(signalCurve, {
    generateKeyPair: () => {
      const pair = generateKeyPair()
      return { pubKey: withType(pair.public), privKey: pair.private }
    },
    calculateAgreement: (publicKey: Uint8Array, privateKey: Uint8Array) => agree(privateKey, publicKey),
  })
  Object.assign(SenderKeyMessage.prototype, {
    getSignature: (key: Uint8Array, bytes: Uint8Array) => Buffer.from(calculateSignature(key, bytes)),
    verifySignature(this: SenderKeyMessage, key: Uint8Array): void {
      const bytes = this.serialize()
      if (!verifySignature(key, bytes.subarray(0, -SIGNATURE_BYTES), bytes.subarray(-SIGNATURE_BYTES)))
        throw new Error('Invalid signature!')
    },
  })
}

const SIGNATURE_BYTES = 64

export function generateKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519', AS_JWK as never) as unknown as {
    publicKey: { x: string }
    privateKey: { d: string }
  }
  return { public: Buffer.from(publicKey.x, 'base64url'), private: Buffer.from(privateKey.d, 'base64url') }
}

/** The secret that both sides of a key exchange compute. */
export function agree(privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
  const d = Buffer.from(privateKey).toString('base64url')
  const x = Buffer.from(withoutType(publicKey)).toString('base64url')
  return diffieHellman({
    // Node derives the public part of a private key itself.
    privateKey: createPrivateKey({ key: { ...X25519, d, x: '' }, format: 'jwk' }),
    publicKey: createPublicKey({ key: { ...X25519, x }, format: 'jwk' }),
  })
}

/** Verifies a Signal signature (XEdDSA) under a Curve25519 key. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false
  try {
    return verifyWithType(withType(publicKey), message, signature)
  } catch {
    return false
  }
}

function withType(publicKey: Uint8Array): Uint8Array {
  return publicKey.length === 33 ? publicKey : Buffer.concat([Buffer.from([KEY_TYPE]), publicKey])
}

function withoutType(publicKey: Uint8Array): Uint8Array {
  if (publicKey.length === 33 && publicKey[0] === KEY_TYPE) return publicKey.subarray(1)
  if (publicKey.length !== 32) throw new Error('Invalid public key')
  return publicKey
}
