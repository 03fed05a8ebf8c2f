import { createHash } from 'node:crypto'
import { isGroupJid, parseJid } from '../jid.ts'
import { userByJid, userOf } from '../people.ts'
import { companionsListed, deviceName } from '../phone/companions.ts'
import { type BinaryNode, child, children } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { isMoved } from './direct-rules.ts'

const HASH_BYTES = 6

/** The hash of a list of devices, in the second version of its form. */
export function participantHash(devices: readonly string[]): string {
  const names = devices.map(jid => {
    const { user = '', device = 0, server = '' } = parseJid(jid) ?? {}
    return `${user}.0:${device}@${server}`
  })
  const hash = createHash('sha256').update(names.sort().join('')).digest()
  return `2:${hash.subarray(0, HASH_BYTES).toString('base64')}`
}

/** The hash of the devices that a message is for, if the sender has counted others; hosted devices do not count. */
export function differingHash(network: Network, from: LinkedDevice, stanza: BinaryNode): string | undefined {
  const { to, phash, participant } = stanza.attrs
  const named = children(child(stanza, 'participants'), 'to').map(({ attrs }) => attrs.jid ?? '')
  const group = network.groups.get(to ?? '')
  if (group && participant === undefined) {
    const people = [...group.members.keys()].map(digits => userOf(network, digits))
    const hash = participantHash(people.flatMap(user => listed(user, group.addressing)))
    return hash === phash ? undefined : hash
  }
  const recipient = userByJid(network, to)
  if (isGroupJid(to) || !recipient || named.length === 0 || isMoved(stanza, recipient)) return undefined
  const addressing = parseJid(to)?.server === 'lid' ? 'lid' : 'pn'
  const own = deviceName(userOf(network, from.digits), addressing, from.device)
  const people = new Set([recipient, userOf(network, from.digits)])
  const hash = participantHash([...people].flatMap(user => listed(user, addressing)).filter(jid => jid !== own))
  return hash === participantHash(named.filter(jid => !isHosted(jid))) ? undefined : hash
}

const isHosted = (jid: string): boolean => parseJid(jid)?.server.startsWith('hosted') === true

function listed(user: User, addressing: 'lid' | 'pn'): string[] {
  const ids = [0, ...companionsListed(user).map(({ id }) => id), ...user.devices.keys()]
  return ids.map(id => deviceName(user, addressing, id)).filter(jid => !isHosted(jid))
}
