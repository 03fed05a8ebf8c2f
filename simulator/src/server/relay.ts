import { behaviourOf, QUOTA_ERROR, REFUSED_ERROR, REFUSED_RESTRICTS_MS } from '../behaviour.ts'
import { nowMs, nowText } from '../clock.ts'
import { isBroadcastJid, isChannelJid, isGroupJid, parseJid } from '../jid.ts'
import { nameOf, otherNameOf, userByJid, userOf } from '../people.ts'
import { receiveMessage } from '../phone/inbox.ts'
import { answerPeerRequest } from '../phone/own-phone.ts'
import { type BinaryNode, bytesOf, child, children, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { receiveChannelPost } from './channel.ts'
import { addressError } from './direct-rules.ts'
import type { AckFault } from './fault-plan.ts'
import { flowError } from './flow-rules.ts'
import { groupAddressing } from './group.ts'
import { push, transmit } from './outbox.ts'
import { ack } from './stanzas.ts'

const NOT_FOUND = 404
const FORBIDDEN = 403

type Verdict = { readonly kind: 'accept' } | AckFault

/** Whether the sender may write there; nothing is known of a chat that does not exist. */
function verdictOfMembership(allowed: boolean | undefined): Verdict {
  if (allowed === undefined) return { kind: 'reject', error: NOT_FOUND }
  return allowed ? { kind: 'accept' } : { kind: 'reject', error: FORBIDDEN }
}

function verdictOf(network: Network, device: LinkedDevice, stanza: BinaryNode): Verdict {
  const to = stanza.attrs.to ?? ''
  const planned = network.faults.acks.take(device.digits)
  if (planned) return planned
  const error = flowError(stanza)
  if (error !== undefined) return { kind: 'reject', error }
  if (isBroadcastJid(to)) return { kind: 'accept' }
  if (isGroupJid(to)) return verdictOfMembership(network.groups.get(to)?.members.has(device.digits))
  if (isChannelJid(to)) {
    const channel = network.channels.get(to)
    return verdictOfMembership(channel && (stanza.attrs.type === 'reaction' || channel.owner === device.digits))
  }
  return verdictOfDirect(network, device, stanza)
}

function verdictOfDirect(network: Network, device: LinkedDevice, stanza: BinaryNode): Verdict {
  const recipient = userByJid(network, stanza.attrs.to)
  if (!recipient || behaviourOf(recipient) === 'absent') return { kind: 'reject', error: NOT_FOUND }
  const error = addressError(network, device, stanza, recipient)
  if (error !== undefined) return { kind: 'reject', error }
  switch (behaviourOf(recipient)) {
    case 'refused':
      restrict(network, device.digits)
      return { kind: 'reject', error: REFUSED_ERROR }
    case 'new':
      return { kind: 'reject', error: QUOTA_ERROR }
    case 'silent':
      return { kind: 'withhold' }
    default:
      return { kind: 'accept' }
  }
}

/** Who writes to somebody who does not want it may write to nobody new for a moment. */
function restrict(network: Network, digits: string): void {
  const { restrictedUntil } = network.faults
  const until = nowMs(network) + REFUSED_RESTRICTS_MS
  restrictedUntil.set(digits, Math.max(until, restrictedUntil.get(digits) ?? 0))
}

/** Takes a message from a device: decides on its ack, then brings it to every phone and device it is for. */
export function relayMessage(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const to = stanza.attrs.to ?? ''
  const verdict = verdictOf(network, device, stanza)
  if (verdict.kind === 'reject') {
    network.later(network.timing.ackDelayMs, () => sendAck(network, device, stanza, { error: String(verdict.error) }))
    return
  }
  if (verdict.kind === 'withhold') return
  const delayMs = verdict.kind === 'delay' ? verdict.delayMs : network.timing.ackDelayMs
  if (isChannelJid(to)) {
    const serverId = receiveChannelPost(network, device, stanza)
    network.later(delayMs, () => sendAck(network, device, stanza, { server_id: serverId?.toString() }))
    return
  }
  network.later(delayMs, () => {
    sendAck(network, device, stanza, {})
    bring(network, device, stanza)
  })
}

function sendAck(
  network: Network,
  device: LinkedDevice,
  stanza: BinaryNode,
  extra: Record<string, string | undefined>,
): void {
  transmit(network, device, ack(stanza, { t: nowText(network), ...extra }))
}

function bring(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  if (stanza.attrs.category === 'peer') {
    answerPeerRequest(network, device, stanza)
    return
  }
  const common = children(stanza, 'enc')
  const recipients = children(child(stanza, 'participants'), 'to')
  const isChat = isGroupJid(stanza.attrs.to) || isBroadcastJid(stanza.attrs.to)
  if (isChat && stanza.attrs.participant === undefined) bringToChat(network, device, stanza, recipients, common)
  else if (recipients.length > 0) {
    for (const to of recipients) bringTo(network, device, stanza, to.attrs.jid ?? '', children(to, 'enc'))
  } else bringTo(network, device, stanza, stanza.attrs.participant ?? stanza.attrs.to ?? '', common)
}

/** Everybody in the chat gets the common part, those who lack the sender's key also their own one. */
function bringToChat(
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
    for (const id of [0, ...user.devices.keys()]) {
      if (digits === device.digits && id === device.device) continue
      const parts = children(own.get(`${digits}.${id}`), 'enc')
      if (digits === device.digits && parts.length === 0 && !members) continue
      bringTo(network, device, stanza, nameOf(user, addressing, id), [...parts, ...common])
    }
  }
}

function withDevice(network: Network, jid: string | undefined): string {
  return `${userByJid(network, jid)?.digits}.${parseJid(jid)?.device ?? 0}`
}

function bringTo(network: Network, from: LinkedDevice, stanza: BinaryNode, jid: string, parts: BinaryNode[]): void {
  const user = userByJid(network, jid)
  const id = parseJid(jid)?.device ?? 0
  if (!user) return
  const linked = user.devices.get(id)
  if (linked) push(network, linked, forwarded(network, from, stanza, jid, parts))
  else if (id === 0) bringToPhone(network, from, stanza, user, jid, parts)
}

function bringToPhone(
  network: Network,
  from: LinkedDevice,
  stanza: BinaryNode,
  user: User,
  jid: string,
  parts: BinaryNode[],
): void {
  const to = stanza.attrs.to ?? ''
  const isChat = isGroupJid(to) || isBroadcastJid(to)
  const name = jid.replace(/:\d+@/, '@')
  receiveMessage(network, user, {
    id: stanza.attrs.id ?? '',
    sender: { digits: from.digits, device: from.device },
    to,
    parts,
    route: isChat ? { from: to, participant: name } : { from: name },
  })
}

/** The stanza as another linked device gets it. */
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
  const addressing = jid.endsWith('@lid') ? 'lid' : 'pn'
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
