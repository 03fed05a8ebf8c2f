import { isBroadcastJid, isChannelJid, isGroupJid, parseJid } from '../jid.ts'
import { userByJid } from '../people.ts'
import { companionName } from '../phone/companions.ts'
import { type BinaryNode, child, children } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { AckFault } from './fault-plan.ts'
import { withDevice } from './deliver-message.ts'

const MIXED = 400
const STALE_ADDRESSING = 421
const MALFORMED = 479

const rejected = (error: number, attrs?: Record<string, string>): AckFault => ({
  kind: 'reject',
  error,
  ...(attrs && { attrs }),
})

/** Why the platform rejects a message of this structure, whatever its recipient. */
export function shapeFault(network: Network, device: LinkedDevice, stanza: BinaryNode): AckFault | undefined {
  const { to, category, participant } = stanza.attrs
  if (children(stanza, 'meta').length > 1) return rejected(MALFORMED)
  if (isChannelJid(to) || category === 'peer') return undefined
  const recipients = children(child(stanza, 'participants'), 'to').map(({ attrs }) => attrs.jid ?? '')
  const isChat = isGroupJid(to) || isBroadcastJid(to)
  if (isChat ? participant !== undefined : recipients.length === 0) return retryFault(network, stanza, isChat)
  if (namesWrongly(network, device, recipients)) return rejected(MALFORMED)
  if (!isChat) return children(stanza, 'enc').length > 0 ? rejected(MALFORMED) : undefined
  return isGroupJid(to) ? groupFault(network, stanza, recipients) : undefined
}

/** Whether the recipients include the sending device, or a device twice. */
function namesWrongly(network: Network, device: LinkedDevice, recipients: readonly string[]): boolean {
  const devices = recipients.map(jid => withDevice(network, jid))
  return new Set(devices).size < devices.length || devices.includes(`${device.digits}.${device.device}`)
}

function groupFault(network: Network, stanza: BinaryNode, recipients: readonly string[]): AckFault | undefined {
  const group = network.groups.get(stanza.attrs.to ?? '')
  if (!group) return undefined
  const isHosted = (jid: string): boolean => parseJid(jid)?.server.startsWith('hosted') === true
  if (recipients.some(isHosted)) return rejected(MALFORMED)
  if (stanza.attrs.addressing_mode !== group.addressing)
    return rejected(STALE_ADDRESSING, { addressing_mode: group.addressing })
  const server = group.addressing === 'lid' ? 'lid' : 's.whatsapp.net'
  return recipients.some(jid => parseJid(jid)?.server !== server) ? rejected(MIXED) : undefined
}

/** A message for a single device is accepted only as a well-formed response to its retry request. */
function retryFault(network: Network, stanza: BinaryNode, isChat: boolean): AckFault | undefined {
  const { to, participant, id = '', device_fanout: fanout } = stanza.attrs
  const requester = (isChat ? participant : to) ?? ''
  const user = userByJid(network, requester)
  const name = user && companionName(user, parseJid(requester)?.device ?? 0)
  const request = name === undefined ? undefined : network.retries.find(name, id)
  const parts = children(stanza, 'enc')
  const [part] = parts
  const isRight =
    request !== undefined &&
    request.requester === requester &&
    parts.length === 1 &&
    part?.attrs.count === String(request.count) &&
    child(stanza, 'participants') === undefined &&
    fanout === (isChat ? undefined : 'false') &&
    (part.attrs.type !== 'pkmsg' || child(stanza, 'device-identity') !== undefined)
  if (!isRight || name === undefined) return rejected(MALFORMED)
  network.retries.answered(name, id)
  return undefined
}
