import { isBroadcastJid, isGroupJid, parseJid } from '../jid.ts'
import { nowText } from '../clock.ts'
import { nameOf, otherNameOf, userByJid, userOf } from '../people.ts'
import { companionName, companionOf, companionsOf, deviceName } from '../phone/companions.ts'
import { receiveAtCompanion, receiveMessage } from '../phone/inbox.ts'
import { answerPeerRequest } from '../phone/own-phone.ts'
import { type BinaryNode, bytesOf, child, children, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { isAnnounced } from './flow-rules.ts'
import { groupAddressing } from './group.ts'
import { push } from './outbox.ts'

/** Delivers an accepted message to all phones and devices of its recipients. */
export function deliverMessage(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  if (stanza.attrs.category === 'peer') {
    answerPeerRequest(network, device, stanza)
    return
  }
  const common = children(stanza, 'enc')
  const recipients = children(child(stanza, 'participants'), 'to')
  const isChat = isGroupJid(stanza.attrs.to) || isBroadcastJid(stanza.attrs.to)
  if (isChat && stanza.attrs.participant === undefined) deliverToChat(network, device, stanza, recipients, common)
  else if (recipients.length > 0) {
    for (const to of recipients) deliverTo(network, device, stanza, to.attrs.jid ?? '', children(to, 'enc'))
    recordOmitted(network, device, stanza, recipients)
  } else deliverTo(network, device, stanza, stanza.attrs.participant ?? stanza.attrs.to ?? '', common)
}

/** The reachable devices of a person, except the sending one. */
function devicesOf(user: User, from: LinkedDevice): number[] {
  const companions = companionsOf(user).filter(({ gone }) => gone === undefined)
  const linked = [...user.devices.keys()].filter(id => user.digits !== from.digits || id !== from.device)
  return [...(user.gone === undefined ? [0] : []), ...companions.map(({ id }) => id), ...linked]
}

/** A direct message is for every device of both people except the sending one: records the devices that it omits. */
function recordOmitted(
  network: Network,
  from: LinkedDevice,
  stanza: BinaryNode,
  recipients: readonly BinaryNode[],
): void {
  const reached = new Set(recipients.map(to => withDevice(network, to.attrs.jid)))
  const other = userByJid(network, stanza.attrs.to)
  for (const user of new Set([other, userOf(network, from.digits)])) {
    if (!user) continue
    for (const id of devicesOf(user, from)) {
      if (reached.has(`${user.digits}.${id}`)) continue
      network.unread.add({ id: stanza.attrs.id ?? '', device: companionName(user, id), why: 'not sent' })
    }
  }
}

/** Every member gets the common part; members without the sender key also get a separate part. */
function deliverToChat(
  network: Network,
  device: LinkedDevice,
  stanza: BinaryNode,
  recipients: readonly BinaryNode[],
  common: BinaryNode[],
): void {
  const own = new Map(recipients.map(to => [withDevice(network, to.attrs.jid), to]))
  const members = network.groups.get(stanza.attrs.to ?? '')?.members.keys()
  const audience = members ? [...members] : recipients.map(to => userByJid(network, to.attrs.jid)?.digits ?? '')
  const addressing = groupAddressing(network, stanza.attrs.to ?? '')
  for (const digits of new Set([...audience, device.digits])) {
    const user = userOf(network, digits)
    for (const id of devicesOf(user, device)) {
      if (companionOf(user, id)?.isHosted) continue
      const parts = children(own.get(`${digits}.${id}`), 'enc')
      if (!members && !audience.includes(digits)) continue
      deliverTo(network, device, stanza, deviceName(user, addressing, id), [...parts, ...common])
    }
  }
}

export function withDevice(network: Network, jid: string | undefined): string {
  return `${userByJid(network, jid)?.digits}.${parseJid(jid)?.device ?? 0}`
}

function deliverTo(network: Network, from: LinkedDevice, stanza: BinaryNode, jid: string, parts: BinaryNode[]): void {
  const user = userByJid(network, jid)
  const id = parseJid(jid)?.device ?? 0
  if (!user) return
  const linked = user.devices.get(id)
  if (linked) push(network, linked, forwarded(network, from, stanza, jid, parts))
  else deliverToUnlinked(network, from, stanza, user, jid, parts)
}

/** Delivers to the phone or one of its companions, unless that device is removed. */
function deliverToUnlinked(
  network: Network,
  from: LinkedDevice,
  stanza: BinaryNode,
  user: User,
  jid: string,
  parts: BinaryNode[],
): void {
  const to = stanza.attrs.to ?? ''
  const isChat = isGroupJid(to) || isBroadcastJid(to)
  const id = parseJid(jid)?.device ?? 0
  const companion = id === 0 ? undefined : companionOf(user, id)
  const name = id === 0 ? jid.replace(/:\d+@/, '@') : jid
  const incoming = {
    id: stanza.attrs.id ?? '',
    sender: { digits: from.digits, device: from.device },
    to,
    parts,
    route: isChat ? { from: to, participant: name } : { from: name },
    isAnnounced: isAnnounced(stanza),
    edit: stanza.attrs.edit,
    isAgain: parts.some(part => part.attrs.count !== undefined),
  }
  if (id === 0 && user.gone === undefined) receiveMessage(network, user, incoming)
  else if (companion && companion.gone === undefined) receiveAtCompanion(network, user, companion, incoming)
}

/** The stanza in the form that another linked device receives. */
function forwarded(
  network: Network,
  from: LinkedDevice,
  stanza: BinaryNode,
  jid: string,
  parts: BinaryNode[],
): BinaryNode {
  const sender = userOf(network, from.digits)
  const { to, id, type, edit } = stanza.attrs
  const isChat = isGroupJid(to) || isBroadcastJid(to)
  const addressing = jid.endsWith('lid') ? 'lid' : 'pn'
  const name = nameOf(sender, addressing, from.device)
  const kind = addressing === 'lid' ? 'pn' : 'lid'
  const peer = userByJid(network, to)
  const isOwn = userByJid(network, jid) === sender
  const attributes = {
    from: isChat ? to : name,
    participant: isChat ? name : undefined,
    recipient: isOwn && !isChat ? to : undefined,
    id,
    t: nowText(network),
    type,
    edit,
    notify: sender.name,
    addressing_mode: addressing,
    ...(isOwn && !isChat
      ? { [`peer_recipient_${kind}`]: peer && otherNameOf(peer, addressing) }
      : { [`${isChat ? 'participant' : 'sender'}_${kind}`]: otherNameOf(sender, addressing) }),
  }
  const identity = child(stanza, 'device-identity')
  return node('message', attributes, identity ? [...parts, node('device-identity', {}, bytesOf(identity))] : parts)
}
