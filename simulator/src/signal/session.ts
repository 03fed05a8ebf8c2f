import { generateKeyPair, type KeyPair, sharedSecret, type SigningKeyPair, verify, withType } from './curve.ts'
import { type Chain, decryptCbc, derive, encryptCbc, hmac, messageKey, nextChain, advanceChain } from './derive.ts'
import { decodeFields, encodeFields, type Field } from './fields.ts'

const VERSION = Buffer.from([0x33])
const NO_SALT = Buffer.alloc(32)
const MAC_LENGTH = 8
const MAX_RECEIVING_CHAINS = 5

export interface LocalIdentity {
  readonly identity: SigningKeyPair
  readonly registrationId: number
}

/** The keys that a device publishes so that others can start a session. Public keys have 32 bytes. */
export interface PreKeyBundle {
  readonly registrationId: number
  readonly identityKey: Uint8Array
  readonly signedPreKey: { readonly id: number; readonly publicKey: Uint8Array; readonly signature: Uint8Array }
  readonly preKey?: { readonly id: number; readonly publicKey: Uint8Array }
}

interface ReceivingChain {
  readonly ratchetKey: Buffer
  readonly chain: Chain
  readonly skipped: ReadonlyMap<number, Buffer>
}

/** One double ratchet. Immutable: every step returns a new one. */
export interface Session {
  readonly remoteIdentity: Buffer
  /** The base key of the side that started the session identifies it. */
  readonly baseKey: Buffer
  readonly rootKey: Buffer
  readonly ratchet: KeyPair
  readonly sending?: Chain
  readonly previousCounter: number
  readonly receiving: readonly ReceivingChain[]
  /** What the other side needs to start the session; present until it has responded. */
  readonly pending?: { readonly preKeyId?: number; readonly signedPreKeyId: number; readonly registrationId: number }
}

export interface Ciphertext {
  readonly type: 'pkmsg' | 'msg'
  readonly body: Buffer
}

function agree(parts: readonly Buffer[]): Buffer {
  const secret = Buffer.concat([Buffer.alloc(32, 0xff), ...parts])
  return derive(secret, NO_SALT, 'WhisperText', 32)
}

function stepRoot(rootKey: Buffer, ratchet: KeyPair, remoteKey: Uint8Array): { rootKey: Buffer; chain: Chain } {
  const derived = derive(sharedSecret(ratchet.private, remoteKey), rootKey, 'WhisperRatchet', 64)
  return { rootKey: derived.subarray(0, 32), chain: { key: derived.subarray(32), index: 0 } }
}

/** Starts a session from a published bundle, after checking its signature. */
export function startSession(local: LocalIdentity, bundle: PreKeyBundle): Session {
  const { signedPreKey, preKey } = bundle
  if (!verify(bundle.identityKey, withType(signedPreKey.publicKey), signedPreKey.signature)) {
    throw new Error('the signature of the signed prekey is invalid')
  }
  const base = generateKeyPair()
  const shared = [
    sharedSecret(local.identity.private, signedPreKey.publicKey),
    sharedSecret(base.private, bundle.identityKey),
    sharedSecret(base.private, signedPreKey.publicKey),
  ]
  if (preKey) shared.push(sharedSecret(base.private, preKey.publicKey))
  const ratchet = generateKeyPair()
  const step = stepRoot(agree(shared), ratchet, signedPreKey.publicKey)
  return {
    remoteIdentity: withType(bundle.identityKey),
    baseKey: withType(base.public),
    rootKey: step.rootKey,
    ratchet,
    sending: step.chain,
    previousCounter: 0,
    receiving: [],
    pending: {
      ...(preKey ? { preKeyId: preKey.id } : {}),
      signedPreKeyId: signedPreKey.id,
      registrationId: bundle.registrationId,
    },
  }
}

export interface PreKeyMessage {
  readonly preKeyId: number | undefined
  readonly signedPreKeyId: number
  readonly baseKey: Buffer
  readonly identityKey: Buffer
  readonly message: Buffer
}

export function readPreKeyMessage(body: Buffer): PreKeyMessage {
  const fields = decodeFields(body.subarray(1))
  return {
    preKeyId: fields.integer(1),
    signedPreKeyId: fields.integer(6) ?? 0,
    baseKey: Buffer.from(fields.bytes(2)),
    identityKey: Buffer.from(fields.bytes(3)),
    message: fields.bytes(4),
  }
}

/** The other side of `startSession`, from the first message. */
export function acceptSession(
  local: LocalIdentity,
  message: PreKeyMessage,
  signedPreKey: KeyPair,
  preKey: KeyPair | undefined,
): Session {
  const shared = [
    sharedSecret(signedPreKey.private, message.identityKey),
    sharedSecret(local.identity.private, message.baseKey),
    sharedSecret(signedPreKey.private, message.baseKey),
  ]
  if (preKey) shared.push(sharedSecret(preKey.private, message.baseKey))
  return {
    remoteIdentity: message.identityKey,
    baseKey: message.baseKey,
    rootKey: agree(shared),
    ratchet: signedPreKey,
    previousCounter: 0,
    receiving: [],
  }
}

function mac(macKey: Buffer, sender: Buffer, receiver: Buffer, message: Buffer): Buffer {
  return hmac(macKey, sender, receiver, VERSION, message).subarray(0, MAC_LENGTH)
}

function messageKeys(seed: Buffer) {
  const derived = derive(seed, NO_SALT, 'WhisperMessageKeys', 80)
  return { cipherKey: derived.subarray(0, 32), macKey: derived.subarray(32, 64), iv: derived.subarray(64, 80) }
}

export function encrypt(local: LocalIdentity, session: Session, plaintext: Uint8Array): [Session, Ciphertext] {
  if (!session.sending) throw new Error('the session cannot send yet')
  const keys = messageKeys(messageKey(session.sending))
  const ownIdentity = withType(local.identity.public)
  const message = encodeFields([
    [1, withType(session.ratchet.public)],
    [2, session.sending.index],
    [3, session.previousCounter],
    [4, encryptCbc(keys.cipherKey, keys.iv, plaintext)],
  ])
  const inner = Buffer.concat([VERSION, message, mac(keys.macKey, ownIdentity, session.remoteIdentity, message)])
  const next = { ...session, sending: nextChain(session.sending) }
  if (!session.pending) return [next, { type: 'msg', body: inner }]
  const { preKeyId, signedPreKeyId } = session.pending
  const fields: Field[] = [
    [2, session.baseKey],
    [3, ownIdentity],
    [4, inner],
    [5, local.registrationId],
    [6, signedPreKeyId],
  ]
  if (preKeyId !== undefined) fields.unshift([1, preKeyId])
  return [next, { type: 'pkmsg', body: Buffer.concat([VERSION, encodeFields(fields)]) }]
}

function stepRatchet(session: Session, remoteKey: Buffer): Session {
  const receiving = stepRoot(session.rootKey, session.ratchet, remoteKey)
  const ratchet = generateKeyPair()
  const sending = stepRoot(receiving.rootKey, ratchet, remoteKey)
  return {
    ...session,
    rootKey: sending.rootKey,
    ratchet,
    sending: sending.chain,
    previousCounter: Math.max(0, (session.sending?.index ?? 0) - 1),
    receiving: [
      { ratchetKey: remoteKey, chain: receiving.chain, skipped: new Map<number, Buffer>() },
      ...session.receiving,
    ].slice(0, MAX_RECEIVING_CHAINS),
  }
}

/** Whether the session knows this message's chain, so that it should be tried first. */
export function knowsChain(session: Session, body: Buffer): boolean {
  const remoteKey = decodeFields(body.subarray(1, -MAC_LENGTH)).bytes(1)
  return session.receiving.some(entry => entry.ratchetKey.equals(remoteKey))
}

/** Decrypts the inner message. Throws if the message does not belong to the session. */
export function decrypt(local: LocalIdentity, session: Session, body: Buffer): [Session, Buffer] {
  const message = body.subarray(1, -MAC_LENGTH)
  const fields = decodeFields(message)
  const remoteKey = Buffer.from(fields.bytes(1))
  const known = session.receiving.some(entry => entry.ratchetKey.equals(remoteKey))
  const stepped = known ? session : stepRatchet(session, remoteKey)
  const entry = stepped.receiving.find(candidate => candidate.ratchetKey.equals(remoteKey))!
  const wound = advanceChain(entry.chain, entry.skipped, fields.integer(2) ?? 0)
  const keys = messageKeys(wound.key)
  const expected = mac(keys.macKey, session.remoteIdentity, withType(local.identity.public), message)
  if (!expected.equals(body.subarray(-MAC_LENGTH))) throw new Error('the message does not belong to this session')
  const plaintext = decryptCbc(keys.cipherKey, keys.iv, fields.bytes(4))
  const { pending: _answered, ...answered } = stepped
  const receiving = stepped.receiving.map(candidate =>
    candidate === entry ? { ratchetKey: remoteKey, chain: wound.chain, skipped: wound.skipped } : candidate,
  )
  return [{ ...answered, receiving }, plaintext]
}
