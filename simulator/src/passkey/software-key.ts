import { createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { derive } from '../signal/derive.ts'
import type { User } from '../world/person.ts'

export const RP_ID = 'whatsapp.com'
export const ORIGIN = 'https://web.whatsapp.com'

const NO_SALT = Buffer.alloc(0)
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04

/** A person's passkey, as a password manager holds it. */
export interface Passkey {
  readonly credentialId: Buffer
  readonly userHandle: Buffer
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** The result of `navigator.credentials.get` in a page, as JSON. */
export interface Assertion {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly authenticatorAttachment: 'platform'
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle: string
  }
  readonly clientExtensionResults: Record<string, never>
}

/** Derived from the phone's own key, so that it stays the same when the simulator restarts. */
export function passkeyOf({ digits, keys }: User): Passkey {
  const secret = keys.local.identity.private
  const ecdh = createECDH('prime256v1')
  const scalar = derive(secret, NO_SALT, 'passkey', 32)
  ecdh.setPrivateKey(scalar)
  const point = ecdh.getPublicKey()
  const privateKey = createPrivateKey({
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: scalar.toString('base64url'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
    format: 'jwk',
  })
  return {
    credentialId: derive(secret, NO_SALT, 'passkey id', 20),
    userHandle: Buffer.from(digits),
    privateKey,
    publicKey: createPublicKey(privateKey),
  }
}

/** Flaws that a test can put into an assertion which the server must reject. */
export interface AssertionFlaws {
  readonly type?: string
  readonly origin?: string
  readonly rpId?: string
  readonly flags?: number
}

/** The person unlocks the passkey, which signs the challenge, on a page of the platform. */
export function assertionOf(key: Passkey, challenge: string, flaws: AssertionFlaws = {}): Assertion {
  const { type = 'webauthn.get', origin = ORIGIN, rpId = RP_ID, flags = USER_PRESENT | USER_VERIFIED } = flaws
  const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const counter = Buffer.alloc(4)
  const authenticatorData = Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counter])
  const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), key.privateKey)
  const id = key.credentialId.toString('base64url')
  return {
    id,
    rawId: id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: key.userHandle.toString('base64url'),
    },
    clientExtensionResults: {},
  }
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
