import { randomInt } from 'node:crypto'
import type { DeviceAddress } from '../jid.ts'
import { generateKeyPair, generateSigningKeyPair, sign, withType } from '../signal/curve.ts'
import { decryptFromGroup, readDistribution, type RemoteSenderKey, senderKeyIdOf } from '../signal/sender-key.ts'
import {
  acceptSession,
  type Ciphertext,
  decrypt,
  encrypt,
  knowsChain,
  type LocalIdentity,
  type PreKeyBundle,
  readPreKeyMessage,
  type Session,
  startSession,
} from '../signal/session.ts'
import type { Network } from '../world/network.ts'
import type { KeyHolder, PhoneKeys } from '../world/phone-keys.ts'

const MAX_SESSIONS = 10
const MAX_SENDER_KEYS = 5

export function createPhoneKeys(): PhoneKeys {
  const identity = generateSigningKeyPair()
  const pair = generateKeyPair()
  const signature = sign(identity, withType(pair.public))
  return restorePhoneKeys({ identity, registrationId: randomInt(1, 16380) }, { id: 1, pair, signature })
}

export function restorePhoneKeys(local: LocalIdentity, signedPreKey: PhoneKeys['signedPreKey']): PhoneKeys {
  return {
    local,
    signedPreKey,
    preKeys: new Map(),
    sessions: new Map(),
    remoteSenderKeys: new Map(),
    ownSenderKeys: new Map(),
  }
}

export function addressKey(address: DeviceAddress): string {
  return `${address.digits}.${address.device}`
}

/** A bundle with a fresh one-time prekey, in the form that the server hands out. */
export function publishBundle(network: Network, user: KeyHolder): PreKeyBundle {
  const { keys } = user
  let id = randomInt(1, 0xffffff)
  while (keys.preKeys.has(id)) id = randomInt(1, 0xffffff)
  const pair = generateKeyPair()
  keys.preKeys.set(id, pair)
  network.journal.put(`prekey/${user.digits}/${id}`, () => pair)
  const { signedPreKey, local } = keys
  return {
    registrationId: local.registrationId,
    identityKey: local.identity.public,
    signedPreKey: { id: signedPreKey.id, publicKey: signedPreKey.pair.public, signature: signedPreKey.signature },
    preKey: { id, publicKey: pair.public },
  }
}

function setSessions(network: Network, user: KeyHolder, address: string, sessions: readonly Session[]): void {
  user.keys.sessions.set(address, sessions.slice(0, MAX_SESSIONS))
  network.journal.put(`session/${user.digits}/${address}`, () => user.keys.sessions.get(address))
}

export function hasSession(user: KeyHolder, address: DeviceAddress): boolean {
  return user.keys.sessions.get(addressKey(address))?.[0]?.sending !== undefined
}

export function addSession(network: Network, user: KeyHolder, address: DeviceAddress, bundle: PreKeyBundle): void {
  const known = user.keys.sessions.get(addressKey(address)) ?? []
  setSessions(network, user, addressKey(address), [startSession(user.keys.local, bundle), ...known])
}

export function encryptFor(
  network: Network,
  user: KeyHolder,
  address: DeviceAddress,
  plaintext: Uint8Array,
): Ciphertext {
  const [current, ...older] = user.keys.sessions.get(addressKey(address)) ?? []
  if (!current) throw new Error('there is no session with this device')
  const [next, ciphertext] = encrypt(user.keys.local, current, plaintext)
  setSessions(network, user, addressKey(address), [next, ...older])
  return ciphertext
}

function openWithKnown(network: Network, user: KeyHolder, address: string, body: Buffer): Buffer {
  const sessions = user.keys.sessions.get(address) ?? []
  const known = sessions.filter(session => knowsChain(session, body))
  for (const session of known.length > 0 ? known : sessions) {
    try {
      const [next, plaintext] = decrypt(user.keys.local, session, body)
      setSessions(network, user, address, [next, ...sessions.filter(other => other !== session)])
      return plaintext
    } catch {
      // Only the session that a message belongs to can open it: try the next one.
    }
  }
  throw new Error('no session of this phone opens the message')
}

function openFirst(network: Network, user: KeyHolder, address: string, body: Buffer): Buffer {
  const { keys } = user
  const message = readPreKeyMessage(body)
  const sessions = keys.sessions.get(address) ?? []
  if (sessions.some(session => session.baseKey.equals(message.baseKey))) {
    return openWithKnown(network, user, address, message.message)
  }
  const preKey = message.preKeyId === undefined ? undefined : keys.preKeys.get(message.preKeyId)
  if (message.preKeyId !== undefined && !preKey) throw new Error('the prekey of this message was used before')
  const session = acceptSession(keys.local, message, keys.signedPreKey.pair, preKey)
  const [next, plaintext] = decrypt(keys.local, session, message.message)
  setSessions(network, user, address, [next, ...sessions])
  if (message.preKeyId !== undefined) {
    keys.preKeys.delete(message.preKeyId)
    network.journal.remove(`prekey/${user.digits}/${message.preKeyId}`)
  }
  return plaintext
}

export function decryptFrom(
  network: Network,
  user: KeyHolder,
  from: DeviceAddress,
  type: string,
  body: Buffer,
): Buffer {
  const open = type === 'pkmsg' ? openFirst : openWithKnown
  return open(network, user, addressKey(from), body)
}

function setSenderKeys(network: Network, user: KeyHolder, name: string, senderKeys: readonly RemoteSenderKey[]): void {
  user.keys.remoteSenderKeys.set(name, senderKeys.slice(0, MAX_SENDER_KEYS))
  network.journal.put(`senderkey/${user.digits}/${name}`, () => user.keys.remoteSenderKeys.get(name))
}

export function learnSenderKey(
  network: Network,
  user: KeyHolder,
  chat: string,
  from: DeviceAddress,
  distribution: Uint8Array,
): void {
  const name = `${chat}/${addressKey(from)}`
  const learnt = readDistribution(distribution)
  const known = user.keys.remoteSenderKeys.get(name) ?? []
  setSenderKeys(network, user, name, [learnt, ...known.filter(key => key.id !== learnt.id)])
}

export function decryptGroupMessage(
  network: Network,
  user: KeyHolder,
  chat: string,
  from: DeviceAddress,
  body: Buffer,
): Buffer {
  const name = `${chat}/${addressKey(from)}`
  const known = user.keys.remoteSenderKeys.get(name) ?? []
  const key = known.find(candidate => candidate.id === senderKeyIdOf(body))
  if (!key) throw new Error('the phone does not have the sender key of this message')
  const [next, plaintext] = decryptFromGroup(key, body)
  setSenderKeys(
    network,
    user,
    name,
    known.map(candidate => (candidate === key ? next : candidate)),
  )
  return plaintext
}
