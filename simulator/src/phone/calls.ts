import { randomBytes } from 'node:crypto'
import type { Addressing } from '../jid.ts'
import { numberJid } from '../jid.ts'
import type { Network, User } from '../network.ts'
import { nameOf, userByJid } from '../network.ts'
import { nameTo } from '../server/face.ts'
import type { LinkedDevice } from '../server/linked-device.ts'
import { push, transmit } from '../server/outbox.ts'
import type { CallParties } from '../server/stanzas.ts'
import { ack, callEnd, callOffer, nowText, stanzaId } from '../server/stanzas.ts'
import type { BinaryNode } from '../wire/node.ts'
import { children } from '../wire/node.ts'

/** A call that a phone makes. */
export interface CallRecord {
  readonly id: string
  /** Digits of the number called. */
  readonly to: string
  readonly video: boolean
  state: 'ringing' | 'rejected' | 'ended'
}

/** How many calls a phone remembers. */
const MAX_CALLS = 100

function parties(user: User, to: User, callId: string, addressing: Addressing): CallParties {
  const name = nameOf(user, addressing)
  const callerPn = addressing === 'lid' ? numberJid(user.digits) : undefined
  return { id: stanzaId(), callId, from: name, creator: name, callerPn, notify: nameTo(user, [to]) }
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
  for (const device of to.devices.values()) {
    push(network, device, callOffer(parties(user, to, id, options.addressing), nowText(), options.video))
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
    push(network, device, callEnd(parties(user, to, callId, options.addressing), nowText(), options.reason))
  }
  network.changed()
}

/** A device answers a call: the caller's phone stops ringing. */
export function answerCall(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const [action] = children(stanza)
  transmit(network, device, ack(stanza, { type: action?.tag }))
  const caller = userByJid(network, stanza.attrs.to)
  const record = caller?.calls.get(action?.attrs['call-id'] ?? '')
  if (record && action?.tag === 'reject') record.state = 'rejected'
}
