import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  verify as ed25519Verify,
} from 'node:crypto'

/** A Curve25519 key pair, 32 bytes each. */
export interface KeyPair {
  readonly public: Buffer
  readonly private: Buffer
}

/** A Curve25519 key pair that can also sign: `edwards` is the same public key in its Edwards form. */
export interface SigningKeyPair extends KeyPair {
  readonly edwards: Buffer
}

type CurveName = 'X25519' | 'Ed25519'

// Node reads and writes keys as JWK in a seventh of the time that DER takes.
const AS_JWK = { publicKeyEncoding: { format: 'jwk' }, privateKeyEncoding: { format: 'jwk' } }

const FIELD = 2n ** 255n - 19n
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const KEY_TYPE = Buffer.from([5])

/** The key in Signal's form: a type byte, then the 32 bytes. */
export function withType(publicKey: Uint8Array): Buffer {
  return publicKey.length === 33 ? Buffer.from(publicKey) : Buffer.concat([KEY_TYPE, publicKey])
}

function withoutType(publicKey: Uint8Array): Uint8Array {
  return publicKey.length === 33 ? publicKey.subarray(1) : publicKey
}

function generate(crv: CurveName): KeyPair {
  const pair = generateKeyPairSync(crv.toLowerCase() as 'x25519', AS_JWK as never) as unknown as {
    publicKey: { x: string }
    privateKey: { d: string }
  }
  return { public: Buffer.from(pair.publicKey.x, 'base64url'), private: Buffer.from(pair.privateKey.d, 'base64url') }
}

export function generateKeyPair(): KeyPair {
  return generate('X25519')
}

/** Node derives the public part itself. */
function privateKeyObject(crv: CurveName, key: Uint8Array): KeyObject {
  return createPrivateKey({ key: { kty: 'OKP', crv, d: base64url(key), x: '' }, format: 'jwk' })
}

function publicKeyObject(crv: CurveName, key: Uint8Array): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv, x: base64url(key) }, format: 'jwk' })
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url')
}

export function sharedSecret(privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
  return diffieHellman({
    privateKey: privateKeyObject('X25519', privateKey),
    publicKey: publicKeyObject('X25519', withoutType(publicKey)),
  })
}

interface Edwards {
  readonly scalar: Buffer
  readonly point: Buffer
}

function edwardsOf(seed: Uint8Array, point: Buffer): Edwards {
  const scalar = createHash('sha512').update(seed).digest().subarray(0, 32)
  scalar[0]! &= 248
  scalar[31] = (scalar[31]! & 127) | 64
  return { scalar, point }
}

function generateEdwards(): Edwards {
  const pair = generate('Ed25519')
  return edwardsOf(pair.private, pair.public)
}

function publicOf(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url')
}

/** An Ed25519 key seen as a Curve25519 one, so that signing needs no arithmetic on points. */
function signingPairOf({ scalar, point }: Edwards): SigningKeyPair {
  return { public: publicOf(privateKeyObject('X25519', scalar)), private: scalar, edwards: point }
}

export function generateSigningKeyPair(): SigningKeyPair {
  return signingPairOf(generateEdwards())
}

/** Derives the pair from a seed of 32 bytes. */
export function signingKeyPairFrom(seed: Uint8Array): SigningKeyPair {
  return signingPairOf(edwardsOf(seed, publicOf(privateKeyObject('Ed25519', seed))))
}

/** Derives the pair from a seed of 32 bytes. */
export function keyPairFrom(seed: Uint8Array): KeyPair {
  return { public: publicOf(privateKeyObject('X25519', seed)), private: Buffer.from(seed) }
}

function toNumber(littleEndian: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(littleEndian).reverse().toString('hex')}`)
}

function toBytes(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
}

function challenge(...parts: Uint8Array[]): bigint {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return toNumber(hash.digest()) % ORDER
}

/** XEdDSA in Signal's form: the top bit of the signature holds the sign of the public point. */
export function sign(pair: SigningKeyPair, message: Uint8Array): Buffer {
  const nonce = generateEdwards()
  const h = challenge(nonce.point, pair.edwards, message)
  const s = toBytes((toNumber(nonce.scalar) + h * toNumber(pair.private)) % ORDER)
  s[31]! |= pair.edwards[31]! & 128
  return Buffer.concat([nonce.point, s])
}

function inverse(value: bigint): bigint {
  let result = 1n
  let base = value % FIELD
  for (let exponent = FIELD - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % FIELD
    base = (base * base) % FIELD
  }
  return result
}

export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  const u = toNumber(withoutType(publicKey)) % 2n ** 255n
  const edwards = toBytes(((u - 1n + FIELD) * inverse(u + 1n)) % FIELD)
  edwards[31]! |= signature[63]! & 128
  const plain = Buffer.from(signature)
  plain[63]! &= 127
  return ed25519Verify(null, message, publicKeyObject('Ed25519', edwards), plain)
}
