import { randomBytes } from 'node:crypto'
import { isHidden, nameableBy } from '../behaviour.ts'
import { nowText } from '../clock.ts'
import { type Addressing, numberJid } from '../jid.ts'
import { nameOf, userByJid } from '../people.ts'
import { nameTo } from '../server/face.ts'
import { push, transmit } from '../server/outbox.ts'
import { ack, callEnd, callOffer, type CallParties, stanzaId } from '../server/stanzas.ts'
import { type BinaryNode, children, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { CallRecord } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'

/** How many calls a phone remembers. */
const MAX_CALLS = 100

function parties(network: Network, user: User, to: User, callId: string, wanted: Addressing): CallParties {
  const addressing = nameableBy(user, wanted)
  const name = nameOf(user, addressing)
  const callerPn = addressing === 'lid' && !isHidden(user) ? numberJid(user.digits) : undefined
  return { id: stanzaId(network), callId, from: name, creator: name, callerPn, notify: nameTo(user, [to]) }
}

export function startCall(
  network: Network,
  user: User,
  to: User,
  options: { readonly video: boolean; readonly addressing: Addressing; readonly id?: string },
): CallRecord {
  const id = options.id ?? randomBytes(16).toString('hex').toUpperCase()
  const record: CallRecord = { id, to: to.digits, video: options.video, state: 'ringing' }
  user.calls.set(id, record)
  if (user.calls.size > MAX_CALLS) user.calls.delete(user.calls.keys().next().value!)
  for (const device of to.blocked.has(user.digits) ? [] : to.devices.values()) {
    push(
      network,
      device,
      callOffer(parties(network, user, to, id, options.addressing), nowText(network), options.video),
    )
  }
  return record
}

export function endCall(
  network: Network,
  user: User,
  to: User,
  callId: string,
  options: { readonly reason?: string; readonly addressing: Addressing },
): void {
  const record = user.calls.get(callId)
  if (record?.state === 'ringing') record.state = 'ended'
  for (const device of to.devices.values()) {
    push(
      network,
      device,
      callEnd(parties(network, user, to, callId, options.addressing), nowText(network), options.reason),
    )
  }
  network.changed()
}

/** A link under which people can call; the platform keeps it under its token. */
function linkTo(network: Network, { digits }: LinkedDevice, stanza: BinaryNode, { attrs }: BinaryNode): BinaryNode {
  const isRight = stanza.attrs.to === '@call' && (attrs.media === 'audio' || attrs.media === 'video')
  const error = network.faults.refusedQueries.get(`${digits} call`) ?? (isRight ? undefined : 400)
  if (error !== undefined) return ack(stanza, { type: 'link_create', error: String(error) })
  const link = node('link_create', { media: attrs.media, token: randomBytes(16).toString('base64url') })
  return { ...ack(stanza, { type: 'link_create' }), content: [link] }
}

/** Handles a device's response to a call, or its request for a link. A rejection ends the ringing. */
export function answerCall(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const [action] = children(stanza)
  if (action?.tag === 'link_create') return transmit(network, device, linkTo(network, device, stanza, action))
  transmit(network, device, ack(stanza, { type: action?.tag }))
  const caller = userByJid(network, stanza.attrs.to)
  const record = caller?.calls.get(action?.attrs['call-id'] ?? '')
  if (record && action?.tag === 'reject') record.state = 'rejected'
}
