import { lidJid, numberJid } from '@postern/simulator/jid'
import { userOf } from '@postern/simulator/people'
import { addressKey, addSession, encryptFor, hasSession } from '@postern/simulator/phone/keys'
import { takeBundle } from '@postern/simulator/server/linked-device'
import { push, transmit } from '@postern/simulator/server/outbox'
import { createSenderKey, distributionOf, encryptForGroup } from '@postern/simulator/signal/sender-key'
import { type BinaryNode, node } from '@postern/simulator/wire/node'
import type { LinkedDevice } from '@postern/simulator/world/device'
import type { Network } from '@postern/simulator/world/network'
import type { User } from '@postern/simulator/world/person'
import { bytesField } from './proto-bytes.ts'

/** A contact that sends arbitrary stanzas to one device of a number. */
export interface Wire {
  readonly network: Network
  readonly device: LinkedDevice
  readonly sender: User
  /** Identifies the stanza, so that it can be created again. */
  readonly label: string
}

export function deviceOf(network: Network, number: string): LinkedDevice {
  const [device] = userOf(network, number).devices.values()
  if (!device) throw new Error('the number has no device')
  return device
}

const labels = new WeakMap<BinaryNode, string>()

/** The label of a stanza, for the report on a device that stopped answering. */
export const labelOf = (stanza: BinaryNode): string => labels.get(stanza) ?? ordinaryLabelOf(stanza)

const NAMING = ['id', 'type', 'category', 'from', 'participant', 'recipient'] as const

/** The label of a stanza that the network sent on its own: its sender, and whether it was sent again. */
function ordinaryLabelOf({ tag, attrs, content }: BinaryNode): string {
  const parts = Array.isArray(content) ? content : []
  const named = NAMING.flatMap(name => (attrs[name] === undefined ? [] : [`${name} ${attrs[name]}`]))
  const inside = parts.map(part => [part.tag, part.attrs.type, part.attrs.count && `again ${part.attrs.count}`])
  return `an ordinary ${tag} (${[...named, ...inside.map(words => words.filter(Boolean).join(' '))].join(', ')})`
}

export const senderJid = ({ sender }: Wire): string => numberJid(sender.digits)
export const senderLid = ({ sender }: Wire): string => lidJid(sender.lid)
export const ownJid = ({ device }: Wire): string => numberJid(device.digits)

/** The padding that phones add to a message before they encrypt it. */
export function padded(plaintext: Uint8Array, length = 5): Buffer {
  return Buffer.concat([plaintext, Buffer.alloc(length, length)])
}

/** Any bytes, encrypted as a message of this contact. */
export function sealed({ network, device, sender }: Wire, plaintext: Uint8Array): BinaryNode {
  if (!hasSession(sender, device)) addSession(network, sender, device, takeBundle(network, device))
  const { type, body } = encryptFor(network, sender, device, plaintext)
  return node('enc', { v: '2', type }, body)
}

/** Any bytes, encrypted with the contact's group key, which the device receives first if it does not have it. */
export function sealedForGroup(wire: Wire, group: string, plaintext: Uint8Array): BinaryNode[] {
  const { sender, device } = wire
  const shared = sender.keys.ownSenderKeys.get(group) ?? { key: createSenderKey(), sharedWith: new Set<string>() }
  const parts: BinaryNode[] = []
  if (!shared.sharedWith.has(addressKey(device))) {
    const key = Buffer.concat([bytesField(1, group), bytesField(2, distributionOf(shared.key))])
    parts.push(sealed(wire, padded(bytesField(2, key))))
  }
  const [key, body] = encryptForGroup(shared.key, plaintext)
  const sharedWith = new Set(shared.sharedWith).add(addressKey(device))
  sender.keys.ownSenderKeys.set(group, { key, sharedWith })
  return [...parts, node('enc', { v: '2', type: 'skmsg' }, body)]
}

/** Sends a stanza unchanged. One that a device can confirm waits until it has; another is sent once. */
export function say({ network, device, label }: Wire, stanza: BinaryNode): void {
  labels.set(stanza, label)
  network.judgements.exempt(stanza)
  const { tag, attrs } = stanza
  const isAnswered = ['message', 'receipt', 'notification', 'call'].includes(tag)
  if (isAnswered && attrs.id && attrs.from && attrs.type !== '' && attrs.participant !== '')
    push(network, device, stanza)
  else transmit(network, device, stanza)
}
