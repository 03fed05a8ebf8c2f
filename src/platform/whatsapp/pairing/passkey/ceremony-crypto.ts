import { createCipheriv, createHash, createHmac, hkdfSync } from 'node:crypto'
import { bytesToCrockford, proto } from 'baileys'

const NO_SALT = Buffer.alloc(0)
const CODE_BYTES = 5

/** The key for the proof that the passkey request comes from the device whose code the phone has scanned. */
export function handoffKey(advSecret: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', advSecret, NO_SALT, 'shortcake-passkey-handoff-v1', 32))
}

export function handoffProof(key: Uint8Array, prologue: Uint8Array): Buffer {
  return createHmac('sha256', key).update(prologue).digest()
}

export interface EphemeralIdentity {
  readonly publicKey: Uint8Array
  readonly deviceType: number
  readonly ref: string
}

/** The ephemeral identity of this device, and a commitment to the nonce that it reveals later. */
export function prologuePayload(identity: EphemeralIdentity, nonce: Uint8Array): Buffer {
  const encoded = proto.CompanionEphemeralIdentity.encode(identity).finish()
  const hash = createHash('sha256').update(encoded).update(nonce).digest()
  const payload = { companionEphemeralIdentity: encoded, commitment: { hash } }
  return Buffer.from(proto.ProloguePayload.encode(payload).finish())
}

export interface PrimaryIdentity {
  readonly publicKey: Uint8Array
  readonly nonce: Uint8Array
}

/** `undefined` if a part is missing or has the wrong length. */
export function readPrimaryIdentity(encoded: Uint8Array): PrimaryIdentity | undefined {
  try {
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(encoded)
    return publicKey?.length === 32 && nonce?.length === 32 ? { publicKey, nonce } : undefined
  } catch {
    return undefined
  }
}

/** Both sides show this code for the user to compare. */
export function verificationCode(companionNonce: Uint8Array, primary: PrimaryIdentity): string {
  const digest = createHash('sha256').update(companionNonce).update(primary.publicKey).digest()
  const bytes = Buffer.from(primary.nonce.subarray(0, CODE_BYTES).map((byte, index) => byte ^ digest[index]!))
  const code = bytesToCrockford(bytes)
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

export function pairingKey(sharedSecret: Uint8Array, { deviceType, ref }: EphemeralIdentity): Buffer {
  const salt = `Companion Pairing ${deviceType} with ref ${ref}`
  return Buffer.from(hkdfSync('sha256', sharedSecret, salt, 'Pairing Information Encryption Key', 32))
}

export interface PairingKeys {
  readonly noiseKey: Uint8Array
  readonly identityKey: Uint8Array
  readonly advSecret: Uint8Array
}

/** The keys that the phone signs, encrypted for the phone. */
export function encryptedPairingRequest(key: Uint8Array, iv: Uint8Array, keys: PairingKeys): Buffer {
  const { noiseKey, identityKey, advSecret } = keys
  const request = { companionPublicKey: noiseKey, companionIdentityKey: identityKey, advSecret }
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const encryptedPayload = Buffer.concat([
    cipher.update(proto.PairingRequest.encode(request).finish()),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return Buffer.from(proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish())
}
