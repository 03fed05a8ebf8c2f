import { type Addressing, isBroadcastJid, isGroupJid, toDigits } from '../jid.ts'
import { isHidden, nameableBy } from '../behaviour.ts'
import { nameOf, userByJid, userOf } from '../people.ts'
import { Refused } from '../refused.ts'
import { hidesNumber } from '../server/group.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { Destination } from './outgoing.ts'

/** A chat to write to, and how stanzas address people there. */
export interface Chat {
  readonly to: Destination
  readonly addressing: Addressing
  /** JID by which the recipients' messages refer to the chat. */
  readonly jid: string
  /** Whether the sender's number is hidden from the others. */
  readonly hidden: boolean
}

function linkedUsers(network: Network): User[] {
  return [...network.users.values()].filter(user => user.devices.size > 0)
}

function groupChat(network: Network, user: User, jid: string): Chat {
  const group = network.groups.get(jid)
  if (!group?.members.has(user.digits)) throw new Refused('the phone is not in this group')
  const members = [...group.members.keys()].map(digits => userOf(network, digits))
  const hidden = hidesNumber(group, user)
  return { to: { kind: 'group', chat: jid, members }, addressing: group.addressing, jid, hidden }
}

/** Finds where a phone's message goes: a number, a group, status, or a broadcast list with its audience. */
export function chatOf(
  network: Network,
  user: User,
  target: string,
  options: { readonly addressing?: Addressing; readonly audience?: readonly string[] },
): Chat {
  const { addressing = 'pn' } = options
  if (isGroupJid(target)) return groupChat(network, user, target)
  if (isBroadcastJid(target)) {
    const audience = options.audience?.map(number => userOf(network, toDigits(number))) ?? linkedUsers(network)
    const members = audience.filter(member => member !== user)
    const kind = target === 'status@broadcast' ? 'group' : 'list'
    const form = nameableBy(user, addressing)
    return { to: { kind, chat: target, members }, addressing: form, jid: target, hidden: isHidden(user) }
  }
  const peer = target.endsWith('@lid') ? userByJid(network, target) : userOf(network, toDigits(target))
  if (!peer) throw new Refused('no person has this identifier')
  const form = nameableBy(user, options.addressing ?? 'lid')
  return { to: { kind: 'person', peer }, addressing: form, jid: nameOf(peer, form), hidden: isHidden(user) }
}
