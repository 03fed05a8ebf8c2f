import { createHmac, randomBytes } from 'node:crypto'
import { proto, WA_ADV_ACCOUNT_SIG_PREFIX, WA_ADV_DEVICE_SIG_PREFIX } from 'baileys'
import { lidJid, numberJid } from '../jid.ts'
import type { Network, User } from '../network.ts'
import { saveUser, unixSeconds, userOf } from '../network.ts'
import { Refused } from '../refused.ts'
import { sign, verify } from '../signal/curve.ts'
import type { Connection } from '../wire/connection.ts'
import type { BinaryNode } from '../wire/node.ts'
import { bytesOf, child, node } from '../wire/node.ts'
import type { LinkCode } from './link-code.ts'
import { answerLinkCode } from './link-code.ts'
import type { DeviceKeys } from './linked-device.ts'
import { addDevice, announceDevice, saveDevice } from './linked-device.ts'
import { iqResult, nowText, pairDevice, pairSuccess, stanzaId, streamError } from './stanzas.ts'

const REFS = 6

/** A client that shows a code and waits for a phone. */
export interface Pairing {
  readonly connection: Connection
  readonly refs: readonly string[]
  readonly keys: DeviceKeys
  linkCode: LinkCode | undefined
  /** Told the outcome when the client has signed, or is gone. */
  pending: { readonly accept: (reply: BinaryNode) => void; readonly refuse: (error: Error) => void } | undefined
}

function readKeys(connection: Connection): DeviceKeys {
  const data = connection.payload.devicePairingData
  if (!data?.eIdent || !data.eRegid || !data.eSkeyId || !data.eSkeyVal || !data.eSkeySig) {
    throw new Error('the registration lacks a key')
  }
  return {
    noiseKey: connection.clientStatic,
    identityKey: Buffer.from(data.eIdent),
    registrationId: Buffer.from(data.eRegid).readUInt32BE(),
    signedPreKey: {
      id: Buffer.from(data.eSkeyId).readUIntBE(0, 3),
      publicKey: Buffer.from(data.eSkeyVal),
      signature: Buffer.from(data.eSkeySig),
    },
  }
}

/** Gives an unregistered client its QR references. Returns what hears the rest of the pairing. */
export function startPairing(network: Network, connection: Connection): (stanza: BinaryNode) => void {
  const refs = Array.from({ length: REFS }, () => `2@${randomBytes(24).toString('base64url')}`)
  const pairing: Pairing = { connection, refs, keys: readKeys(connection), linkCode: undefined, pending: undefined }
  network.pairings.add(pairing)
  connection.send(pairDevice(stanzaId(), refs))
  return stanza => {
    if (stanza.tag !== 'iq') return
    if (child(stanza, 'pair-device-sign')) pairing.pending?.accept(stanza)
    else if (child(stanza, 'link_code_companion_reg')) answerLinkCode(pairing, stanza)
    else if (stanza.attrs.type !== 'result') connection.send(iqResult(stanza.attrs.id, stanza.attrs.to))
    network.changed()
  }
}

export function endPairing(network: Network, connection: Connection): void {
  for (const pairing of network.pairings) {
    if (pairing.connection !== connection) continue
    network.pairings.delete(pairing)
    pairing.pending?.refuse(new Refused('the client is gone'))
  }
}

/** The phone scans the code that the client shows. Resolves when the device is linked. */
export function scanQr(network: Network, qr: string, digits: string): Promise<void> {
  const [ref, noiseKey, identityKey, advSecret] = (qr.split('#').pop() ?? '').split(',')
  const pairing = [...network.pairings].find(candidate => ref !== undefined && candidate.refs.includes(ref))
  if (!pairing || !noiseKey || !identityKey || !advSecret) {
    return Promise.reject(new Refused('no client shows this code'))
  }
  const matches =
    pairing.keys.noiseKey.equals(Buffer.from(noiseKey, 'base64')) &&
    pairing.keys.identityKey.equals(Buffer.from(identityKey, 'base64'))
  if (pairing.pending) return Promise.reject(new Refused('the code was used before'))
  if (!matches) return Promise.reject(new Refused('the code does not belong to the client'))
  return completePairing(network, pairing, digits, Buffer.from(advSecret, 'base64'))
}

function signIdentity(user: User, keyIndex: number, companion: Buffer, advSecret: Buffer) {
  const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: unixSeconds(), keyIndex }).finish()
  const { identity } = user.keys.local
  const accountSignature = sign(identity, Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, companion]))
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: identity.public,
    accountSignature,
  }).finish()
  const hmac = createHmac('sha256', advSecret).update(signed).digest()
  return { details, encoded: proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish() }
}

function deviceSigned(user: User, companion: Buffer, details: Uint8Array, reply: BinaryNode): boolean {
  const identity = child(child(reply, 'pair-device-sign'), 'device-identity')
  const signature = proto.ADVSignedDeviceIdentity.decode(bytesOf(identity)).deviceSignature
  const parts = [WA_ADV_DEVICE_SIG_PREFIX, details, companion, user.keys.local.identity.public]
  return !!signature && verify(companion, Buffer.concat(parts), signature)
}

/** Links the client to the number: the phone vouches for the device, and the device for itself. */
export async function completePairing(
  network: Network,
  pairing: Pairing,
  digits: string,
  advSecret: Buffer,
): Promise<void> {
  const user = userOf(network, digits)
  const id = user.lastDeviceId + 1
  user.lastDeviceId = id
  user.name ||= `Number ${digits.slice(-4)}`
  saveUser(network, user)
  const { keys, connection } = pairing
  const { details, encoded } = signIdentity(user, id, keys.identityKey, advSecret)
  const reply = new Promise<BinaryNode>((accept, refuse) => {
    pairing.pending = { accept, refuse }
  })
  const jids = { jid: numberJid(digits, id), lid: lidJid(user.lid, id) }
  connection.send(pairSuccess(stanzaId(), nowText(), { identity: encoded, ...jids }))
  if (!deviceSigned(user, keys.identityKey, details, await reply)) {
    connection.close()
    throw new Refused('the device did not sign its identity')
  }
  pairing.pending = undefined
  network.pairings.delete(pairing)
  const device = addDevice(user, id, id, keys)
  saveDevice(network, device)
  announceDevice(network, device, 'add')
  await network.journal.settled()
  connection.send(streamError('restart'))
  connection.send(node('xmlstreamend'))
  connection.close()
}
