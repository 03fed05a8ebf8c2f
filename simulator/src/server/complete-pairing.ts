import { proto, WA_ADV_ACCOUNT_SIG_PREFIX, WA_ADV_DEVICE_SIG_PREFIX } from 'baileys'
import { nowText, unixSeconds } from '../clock.ts'
import { lidJid, numberJid } from '../jid.ts'
import { saveUser, userOf } from '../people.ts'
import { Refused } from '../refused.ts'
import { sign, verify } from '../signal/curve.ts'
import { hmac } from '../signal/derive.ts'
import { type BinaryNode, bytesOf, child, node } from '../wire/node.ts'
import type { Network } from '../world/network.ts'
import type { Pairing } from '../world/pairing.ts'
import type { User } from '../world/person.ts'
import { announceDevice } from './announce-device.ts'
import { addDevice, saveDevice } from './linked-device.ts'
import { pairSuccess, stanzaId, streamError } from './stanzas.ts'

function signIdentity(network: Network, user: User, keyIndex: number, companion: Buffer, advSecret: Buffer) {
  const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: unixSeconds(network), keyIndex }).finish()
  const { identity } = user.keys.local
  const accountSignature = sign(identity, Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, companion]))
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: identity.public,
    accountSignature,
  }).finish()
  const sealed = { details: signed, hmac: hmac(advSecret, signed) }
  return { details, encoded: proto.ADVSignedDeviceIdentityHMAC.encode(sealed).finish() }
}

function deviceSigned(user: User, companion: Buffer, details: Uint8Array, reply: BinaryNode): boolean {
  const identity = child(child(reply, 'pair-device-sign'), 'device-identity')
  const signature = proto.ADVSignedDeviceIdentity.decode(bytesOf(identity)).deviceSignature
  const parts = [WA_ADV_DEVICE_SIG_PREFIX, details, companion, user.keys.local.identity.public]
  return !!signature && verify(companion, Buffer.concat(parts), signature)
}

/** Links the client to the number: the phone and the device both sign the device's identity. */
export async function completePairing(
  network: Network,
  pairing: Pairing,
  digits: string,
  advSecret: Buffer,
): Promise<void> {
  const user = userOf(network, digits)
  const id = user.lastDeviceId + 1
  user.lastDeviceId = id
  // A linked number no longer has the companion that every contact has.
  if (user.devices.size === 0) user.companions = undefined
  user.name ||= `Number ${digits.slice(-4)}`
  saveUser(network, user)
  const { keys, connection } = pairing
  const { details, encoded } = signIdentity(network, user, id, keys.identityKey, advSecret)
  const reply = new Promise<BinaryNode>((accept, refuse) => {
    pairing.pending = { accept, refuse }
  })
  const jids = { jid: numberJid(digits, id), lid: lidJid(user.lid, id) }
  connection.send(pairSuccess(stanzaId(network), nowText(network), { identity: encoded, ...jids }))
  if (!deviceSigned(user, keys.identityKey, details, await reply)) {
    connection.close()
    throw new Refused('the device did not sign its identity')
  }
  pairing.pending = undefined
  network.pairings.delete(pairing)
  const device = addDevice(user, id, id, keys)
  saveDevice(network, device)
  announceDevice(network, user, { id, keyIndex: id }, 'add')
  await network.journal.saved()
  connection.send(streamError('restart'))
  connection.send(node('xmlstreamend'))
  connection.close()
}
