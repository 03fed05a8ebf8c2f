import { nowText } from '../clock.ts'
import { isChannelJid, parseJid } from '../jid.ts'
import { getOwn } from '../get-own.ts'
import { nameOf, userByJid, userOf } from '../people.ts'
import { addSession } from '../phone/keys.ts'
import { answerMediaRetry } from '../phone/media-retry.ts'
import { resend } from '../phone/outgoing.ts'
import { tick } from '../phone/sent.ts'
import type { PreKeyBundle } from '../signal/session.ts'
import { type BinaryNode, bytesOf, child, children, integerOf, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Tick } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { takeBundle } from './linked-device.ts'
import { acknowledge, push, transmit } from './outbox.ts'
import { ack } from './stanzas.ts'

/** Receipts of the type `inactive` are passed on but show no tick. */
const TICKS: Readonly<Record<string, Tick>> = { '': 'delivered', read: 'read', played: 'played' }

/** Handles a receipt of a device: removes the stanzas that it confirms and passes it on to the author. */
export function takeReceipt(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const type = stanza.attrs.type ?? ''
  transmit(network, device, ack(stanza, {}))
  if (type === 'server-error') return answerMediaRetry(network, device, stanza)
  if (type !== 'retry') acknowledge(network, device, stanza)
  const author = stanza.attrs.participant ?? stanza.attrs.to
  if (isChannelJid(author)) return
  const user = userByJid(network, author)
  if (!user) return
  const authorDevice = parseJid(author)?.device
  if (type === 'retry') {
    if (!authorDevice && !network.faults.ignoresRetries.has(user.digits)) answerRetry(network, device, user, stanza)
  }
  const ticks = getOwn(TICKS, type)
  if (ticks !== undefined) for (const id of idsOf(stanza)) tick(network, user, id, device.digits, ticks)
  forward(network, device, user, authorDevice, stanza)
}

function idsOf(stanza: BinaryNode): string[] {
  const more = children(child(stanza, 'list'), 'item').map(item => item.attrs.id ?? '')
  return [stanza.attrs.id ?? '', ...more]
}

/** Passes the receipt on to the author's linked devices: to the addressed one, or to all. */
function forward(
  network: Network,
  device: LinkedDevice,
  author: User,
  authorDevice: number | undefined,
  stanza: BinaryNode,
): void {
  const { id, type, participant, to } = stanza.attrs
  if (author.digits === device.digits) return
  const addressing = (participant ?? to)?.endsWith('@lid') ? 'lid' : 'pn'
  const name = nameOf(userOf(network, device.digits), addressing, device.device)
  const attributes = participant === undefined ? { from: name } : { from: to, participant: name }
  for (const linked of author.devices.values()) {
    if (authorDevice !== undefined && linked.device !== authorDevice) continue
    const content = Array.isArray(stanza.content) ? stanza.content : undefined
    push(network, linked, node('receipt', { ...attributes, id, type, t: nowText(network) }, content))
  }
}

function readBundle(stanza: BinaryNode): PreKeyBundle | undefined {
  const keys = child(stanza, 'keys')
  if (!keys) return undefined
  const skey = child(keys, 'skey')
  const key = child(keys, 'key')
  return {
    registrationId: integerOf(child(stanza, 'registration')),
    identityKey: bytesOf(child(keys, 'identity')),
    signedPreKey: {
      id: integerOf(child(skey, 'id')),
      publicKey: bytesOf(child(skey, 'value')),
      signature: bytesOf(child(skey, 'signature')),
    },
    ...(key ? { preKey: { id: integerOf(child(key, 'id')), publicKey: bytesOf(child(key, 'value')) } } : {}),
  }
}

/** The phone starts a new session with the device that could not read the message, and sends it again. */
function answerRetry(network: Network, device: LinkedDevice, user: User, stanza: BinaryNode): void {
  const count = Number(child(stanza, 'retry')?.attrs.count ?? '1')
  addSession(network, user, device, readBundle(stanza) ?? takeBundle(network, device))
  for (const id of idsOf(stanza)) resend(network, user, device, id, count)
}
