import { behaviourOf, QUOTA_ERROR, REFUSED_ERROR, REFUSED_RESTRICTS_MS } from '../behaviour.ts'
import { nowMs, nowText } from '../clock.ts'
import { isBroadcastJid, isChannelJid, isGroupJid, STATUS } from '../jid.ts'
import { userByJid } from '../people.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { deliverMessage } from './deliver-message.ts'
import { receiveChannelPost } from './channel.ts'
import { roleOf } from './channel-metadata.ts'
import { postError } from './channel-rules.ts'
import { addressError, moveNotice } from './direct-rules.ts'
import type { AckFault } from './fault-plan.ts'
import { flowError } from './flow-rules.ts'
import { transmit } from './outbox.ts'
import { differingHash } from './participant-hash.ts'
import { shapeFault } from './shape.ts'
import { ack } from './stanzas.ts'
import { statusError } from './status-rules.ts'

const NOT_FOUND = 404
const FORBIDDEN = 403
const NO_MESSAGES_ERROR = 420

type Verdict = { readonly kind: 'accept' } | AckFault

/** Whether the sender may write to the chat; `undefined` means that there is no such chat. */
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
  const fault = shapeFault(network, device, stanza)
  if (fault) return fault
  const malformed = to === STATUS ? statusError(network, device, stanza) : undefined
  if (malformed !== undefined) return { kind: 'reject', error: malformed }
  if (isBroadcastJid(to)) return { kind: 'accept' }
  if (isGroupJid(to)) return verdictOfGroup(network, device, to)
  if (isChannelJid(to)) return verdictOfPost(network, device, stanza)
  return verdictOfDirect(network, device, stanza)
}

/** A community has no messages: its members write in its groups, and only admins in that for announcements. */
function verdictOfGroup(network: Network, { digits }: LinkedDevice, to: string): Verdict {
  const group = network.groups.get(to)
  if (group?.isCommunity) return { kind: 'reject', error: NO_MESSAGES_ERROR }
  return verdictOfMembership(group?.members.has(digits))
}

function verdictOfPost(network: Network, device: LinkedDevice, stanza: BinaryNode): Verdict {
  const channel = network.channels.get(stanza.attrs.to ?? '')
  if (!channel || stanza.attrs.type === 'reaction') return verdictOfMembership(channel && true)
  const mayPost = ['OWNER', 'ADMIN'].includes(roleOf(channel, device.digits))
  const error = mayPost ? postError(network, channel, stanza) : FORBIDDEN
  return error === undefined ? { kind: 'accept' } : { kind: 'reject', error }
}

function verdictOfDirect(network: Network, device: LinkedDevice, stanza: BinaryNode): Verdict {
  const recipient = userByJid(network, stanza.attrs.to)
  if (network.faults.correctedNumbers.has(recipient?.digits ?? '')) return { kind: 'reject', error: NOT_FOUND }
  if (!recipient || behaviourOf(recipient) === 'absent') return { kind: 'reject', error: NOT_FOUND }
  const error = addressError(network, device, stanza, recipient)
  if (error !== undefined) return { kind: 'reject', error }
  if (isCapped(network, device) && !hasWritten(recipient, device)) return { kind: 'reject', error: QUOTA_ERROR }
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

const isCapped = ({ faults }: Network, { digits }: LinkedDevice): boolean =>
  faults.newChats.get(digits)?.capping_status === 'CAPPED'

const hasWritten = ({ sent }: User, { digits }: LinkedDevice): boolean =>
  [...sent.values()].some(({ chat }) => chat === digits)

/** A message to a person who refuses messages blocks new chats of the number for `REFUSED_RESTRICTS_MS`. */
function restrict(network: Network, digits: string): void {
  const { restrictions } = network.faults
  const untilMs = nowMs(network) + REFUSED_RESTRICTS_MS
  if (untilMs > (restrictions.get(digits)?.untilMs ?? 0)) restrictions.set(digits, { untilMs, type: 'DEFAULT' })
}

/** Handles a message from a device: decides on its ack, then delivers it to the recipients. */
export function relayMessage(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const to = stanza.attrs.to ?? ''
  const verdict = verdictOf(network, device, stanza)
  if (verdict.kind === 'reject') {
    network.later(network.timing.ackDelayMs, () =>
      sendAck(network, device, stanza, { error: String(verdict.error), ...verdict.attrs }),
    )
    return
  }
  if (verdict.kind === 'withhold') return
  const delayMs = verdict.kind === 'delay' ? verdict.delayMs : network.timing.ackDelayMs
  const later = (run: () => void): void => {
    if (verdict.kind === 'hold') void verdict.until.then(run)
    else network.later(delayMs, run)
  }
  if (isChannelJid(to)) {
    const serverId = receiveChannelPost(network, device, stanza)
    later(() => sendAck(network, device, stanza, { server_id: serverId?.toString() }))
    return
  }
  later(() => {
    const phash = differingHash(network, device, stanza)
    sendAck(network, device, stanza, { phash, ...moveNotice(device, stanza, userByJid(network, to)) })
    deliverMessage(network, device, stanza)
  })
}

function sendAck(
  network: Network,
  device: LinkedDevice,
  stanza: BinaryNode,
  extra: Record<string, string | undefined>,
): void {
  // With status posts under another tag, their acks have another class too.
  const retagged = stanza.attrs.to === STATUS && network.faults.retagsStatus ? { class: 'status' } : {}
  transmit(network, device, ack(stanza, { t: nowText(network), ...retagged, ...extra }))
}
