import { type Behaviour, behaviourOf, behaviourOfNumber, hasLid, isHidden } from '../behaviour.ts'
import { lidJid, numberJid, parseJid, toDigits } from '../jid.ts'
import { userByJid, userOf } from '../people.ts'
import { companionsListed } from '../phone/companions.ts'
import { type BinaryNode, child, children, node, textOf } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { profileTo } from './face.ts'
import { aboutNode, businessNode } from './profile-iq.ts'

/** Answers whether people are on the platform, with which hidden identifiers and devices. */
export function answerUsync(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const usync = child(iq, 'usync')
  const protocols = children(child(usync, 'query')).map(protocol => protocol.tag)
  const users = children(child(usync, 'list'), 'user').map(user => answerUser(network, device, user, protocols))
  const result = node(
    'result',
    {},
    protocols.map(tag => node(tag)),
  )
  const attributes = {
    sid: usync?.attrs.sid,
    context: usync?.attrs.context,
    mode: usync?.attrs.mode,
    index: '0',
    last: 'true',
  }
  return [node('usync', attributes, [result, node('list', {}, users)])]
}

function answerUser(
  network: Network,
  device: LinkedDevice,
  queried: BinaryNode,
  protocols: readonly string[],
): BinaryNode {
  const contact = child(queried, 'contact')
  if (queried.attrs.jid === undefined) return answerContact(network, device, textOf(contact), protocols)
  const real = network.faults.correctedNumbers.get(parseJid(queried.attrs.jid)?.user ?? '')
  const jid = real === undefined ? queried.attrs.jid : numberJid(real)
  const user = userByJid(network, jid)
  if (!user || behaviourOf(user) === 'absent' || isHiddenFrom(jid, user))
    return node('user', { jid }, absent(protocols))
  if (protocols.includes('devices')) user.watchedBy.add(device)
  return node(
    'user',
    { jid },
    protocols.flatMap(tag => answerProtocol(device, user, tag)),
  )
}

const isFound = (behaviour: Behaviour): boolean => behaviour !== 'absent' && behaviour !== 'hidden'

/** Answers a query for a phone number. Only a business gets a phone for it: it has something to show. */
function answerContact(
  network: Network,
  device: LinkedDevice,
  written: string,
  protocols: readonly string[],
): BinaryNode {
  const digits = network.faults.correctedNumbers.get(toDigits(written)) ?? toDigits(written)
  const isShop = behaviourOfNumber(digits) === 'business'
  const known = isShop ? userOf(network, digits) : network.users.get(digits)
  const exists = isFound(known ? behaviourOf(known) : behaviourOfNumber(digits))
  const contact = node('contact', { type: exists ? 'in' : 'out' }, Buffer.from(written))
  const others =
    known && exists ? protocols.filter(tag => tag !== 'contact').flatMap(tag => answerProtocol(device, known, tag)) : []
  return node('user', { jid: numberJid(digits) }, [contact, ...others])
}

/** Whether the query names a person by a hidden number. */
function isHiddenFrom(jid: string, user: User): boolean {
  return isHidden(user) && parseJid(jid)?.server !== 'lid'
}

function absent(protocols: readonly string[]): BinaryNode[] {
  return protocols.includes('contact') ? [node('contact', { type: 'out' })] : []
}

function answerProtocol({ digits }: LinkedDevice, user: User, protocol: string): BinaryNode[] {
  switch (protocol) {
    case 'contact':
      return [node('contact', { type: 'in' })]
    case 'lid':
      return hasLid(user) ? [node('lid', { val: lidJid(user.lid) })] : []
    case 'devices':
      return [node('devices', {}, [node('device-list', {}, deviceList(user))])]
    case 'status':
      return [aboutNode(profileTo(user, digits))]
    case 'business':
      return businessNode(profileTo(user, digits))
    case 'disappearing_mode':
      return [node('disappearing_mode', { duration: '0', t: '0' })]
    default:
      return []
  }
}

function deviceList(user: User): BinaryNode[] {
  const linked = [...user.devices.values()].map(device =>
    node('device', { id: String(device.device), 'key-index': String(device.keyIndex) }),
  )
  const companions = companionsListed(user).map(({ id, isHosted }) =>
    node('device', { id: String(id), 'key-index': String(id), is_hosted: isHosted ? 'true' : undefined }),
  )
  return [node('device', { id: '0' }), ...companions, ...linked]
}
