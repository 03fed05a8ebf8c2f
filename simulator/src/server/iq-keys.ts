import { createHash } from 'node:crypto'
import { behaviourOf } from '../behaviour.ts'
import { nowText } from '../clock.ts'
import { parseJid } from '../jid.ts'
import { userByJid } from '../people.ts'
import { companionOf, holderOf } from '../phone/companions.ts'
import { publishBundle } from '../phone/keys.ts'
import { type BinaryNode, bytesOf, child, children, integerBytes, integerOf, node } from '../wire/node.ts'
import type { Gone } from '../world/companion.ts'
import type { LinkedDevice, PublicPreKey } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { IqError } from './iq-error.ts'
import { saveDevice, savePreKeys, takeBundle } from './linked-device.ts'
import { bundleUser, keyNodes } from './stanzas.ts'

const NOT_ACCEPTABLE = 406

/** Answers a device's queries about encryption keys and uploads of its own. */
export function answerKeys(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] | undefined {
  const [request] = children(iq)
  if (iq.attrs.type === 'set') {
    const rotated = child(iq, 'rotate')
    if (rotated) rotateSignedPreKey(network, device, child(rotated, 'skey'))
    else uploadKeys(network, device, iq)
    return undefined
  }
  if (request?.tag === 'count') return [node('count', { value: String(device.preKeys.length) })]
  if (request?.tag === 'digest') return [digest(device)]
  const users = children(request, 'user').flatMap(user => bundleOf(network, user.attrs.jid ?? ''))
  return [node('list', {}, users)]
}

function readSignedPreKey(skey: BinaryNode | undefined): LinkedDevice['signedPreKey'] {
  return { ...readPreKey(skey), signature: bytesOf(child(skey, 'signature')) }
}

function readPreKey(key: BinaryNode | undefined): PublicPreKey {
  return { id: integerOf(child(key, 'id')), publicKey: bytesOf(child(key, 'value')) }
}

function rotateSignedPreKey(network: Network, device: LinkedDevice, skey: BinaryNode | undefined): void {
  device.signedPreKey = readSignedPreKey(skey)
  saveDevice(network, device)
}

function uploadKeys(network: Network, device: LinkedDevice, iq: BinaryNode): void {
  device.registrationId = integerOf(child(iq, 'registration'))
  device.signedPreKey = readSignedPreKey(child(iq, 'skey'))
  const uploaded = children(child(iq, 'list'), 'key').map(readPreKey)
  const ids = new Set(uploaded.map(key => key.id))
  device.preKeys = [...device.preKeys.filter(key => !ids.has(key.id)), ...uploaded]
  saveDevice(network, device)
  savePreKeys(network, device)
}

function digest(device: LinkedDevice): BinaryNode {
  const { registrationId, identityKey, signedPreKey, preKeys } = device
  const hash = createHash('sha1').update(identityKey).update(signedPreKey.publicKey).update(signedPreKey.signature)
  for (const key of preKeys) hash.update(key.publicKey)
  return node('digest', {}, [
    node('registration', {}, integerBytes(registrationId, 4)),
    ...keyNodes({ registrationId, identityKey, signedPreKey }),
    node(
      'list',
      {},
      preKeys.map(key => node('id', {}, integerBytes(key.id, 3))),
    ),
    node('hash', {}, hash.digest()),
  ])
}

/** How the server reports a removed device; `undefined` if its keys are available. */
function goneAs(user: User | undefined, id: number): Gone | undefined {
  if (!user || behaviourOf(user) === 'absent') return 'error'
  if (id === 0) return user.gone
  if (user.devices.has(id)) return undefined
  const companion = companionOf(user, id)
  return companion ? companion.gone : 'error'
}

/** The bundle of one device of one person, under the name in the query. */
function bundleOf(network: Network, jid: string): BinaryNode[] {
  const user = userByJid(network, jid)
  const id = parseJid(jid)?.device ?? 0
  const gone = goneAs(user, id)
  if (gone === 'whole') throw new IqError(NOT_ACCEPTABLE, 'not-acceptable')
  if (gone === 'omitted') return []
  if (gone !== undefined || !user) {
    return [node('user', { jid }, [node('error', { code: String(NOT_ACCEPTABLE), text: 'not-acceptable' })])]
  }
  const linked = user.devices.get(id)
  if (linked) return [bundleUser(jid, nowText(network), takeBundle(network, linked))]
  const companion = companionOf(user, id)
  return [bundleUser(jid, nowText(network), publishBundle(network, companion ? holderOf(user, companion) : user))]
}
