import { randomBytes, randomInt } from 'node:crypto'
import { generateSigningKeyPair, sign, type SigningKeyPair, verify, withType } from './curve.ts'
import { type Chain, decryptCbc, derive, encryptCbc, messageKey, nextChain, advanceChain } from './derive.ts'
import { decodeFields, encodeFields } from './fields.ts'

const VERSION = Buffer.from([0x33])
const NO_SALT = Buffer.alloc(32)
const SIGNATURE_LENGTH = 64

/** The key with which one device writes to one group. Immutable: every step returns a new one. */
export interface OwnSenderKey {
  readonly id: number
  readonly chain: Chain
  readonly signing: SigningKeyPair
}

/** Another device's sender key, from its distribution message. */
export interface RemoteSenderKey {
  readonly id: number
  readonly chain: Chain
  readonly signingKey: Buffer
  readonly skipped: ReadonlyMap<number, Buffer>
}

export function createSenderKey(): OwnSenderKey {
  return { id: randomInt(1, 2 ** 31 - 1), chain: { key: randomBytes(32), index: 0 }, signing: generateSigningKeyPair() }
}

/** The distribution message, which the members need before they can read messages with this key. */
export function distributionOf(key: OwnSenderKey): Buffer {
  const fields = encodeFields([
    [1, key.id],
    [2, key.chain.index],
    [3, key.chain.key],
    [4, withType(key.signing.public)],
  ])
  return Buffer.concat([VERSION, fields])
}

export function readDistribution(body: Uint8Array): RemoteSenderKey {
  const fields = decodeFields(Buffer.from(body).subarray(1))
  return {
    id: fields.integer(1) ?? 0,
    chain: { key: Buffer.from(fields.bytes(3)), index: fields.integer(2) ?? 0 },
    signingKey: Buffer.from(fields.bytes(4)),
    skipped: new Map(),
  }
}

function groupKeys(seed: Buffer) {
  const derived = derive(seed, NO_SALT, 'WhisperGroup', 48)
  return { iv: derived.subarray(0, 16), cipherKey: derived.subarray(16) }
}

export function encryptForGroup(key: OwnSenderKey, plaintext: Uint8Array): [OwnSenderKey, Buffer] {
  const keys = groupKeys(messageKey(key.chain))
  const fields = encodeFields([
    [1, key.id],
    [2, key.chain.index],
    [3, encryptCbc(keys.cipherKey, keys.iv, plaintext)],
  ])
  const signed = Buffer.concat([VERSION, fields])
  return [{ ...key, chain: nextChain(key.chain) }, Buffer.concat([signed, sign(key.signing, signed)])]
}

export function senderKeyIdOf(body: Buffer): number {
  return decodeFields(body.subarray(1, -SIGNATURE_LENGTH)).integer(1) ?? 0
}

export function decryptFromGroup(key: RemoteSenderKey, body: Buffer): [RemoteSenderKey, Buffer] {
  const signed = body.subarray(0, -SIGNATURE_LENGTH)
  if (!verify(key.signingKey, signed, body.subarray(-SIGNATURE_LENGTH))) {
    throw new Error('the signature of the group message is invalid')
  }
  const fields = decodeFields(signed.subarray(1))
  const wound = advanceChain(key.chain, key.skipped, fields.integer(2) ?? 0)
  const keys = groupKeys(wound.key)
  const plaintext = decryptCbc(keys.cipherKey, keys.iv, fields.bytes(3))
  return [{ ...key, chain: wound.chain, skipped: wound.skipped }, plaintext]
}
