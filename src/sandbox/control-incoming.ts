import { BOUNDS } from '../domain/bounds.ts'
import type { SandboxIncoming } from '../domain/sandbox.ts'
import { isGroupJid, STATUS } from '@postern/simulator/jid'
import type { Content } from '@postern/simulator/phone/content'
import type { Phone, SendOptions } from '@postern/simulator/phone/phone'
import { Refused } from '@postern/simulator/refused'
import type { Simulator } from '@postern/simulator'

/** A contact writes to the number. */
export async function receive(
  simulator: Simulator,
  number: string,
  incoming: SandboxIncoming,
): Promise<{ message_id: string }> {
  const phone = contactPhone(simulator, incoming.from)
  requireRoom(simulator, number)
  phone.nameTo(number, incoming.from_name ?? '')
  const target = targetOf(simulator, number, phone, incoming)
  const options: SendOptions = {
    ...(incoming.quoted_message_id === undefined ? {} : { quoted: incoming.quoted_message_id }),
    ...(incoming.view_once === undefined ? {} : { viewOnce: incoming.view_once }),
    ...(target === STATUS ? { audience: [number] } : {}),
  }
  const { id } = await send(phone, target, incoming, options)
  return { message_id: id }
}

function send(phone: Phone, target: string, incoming: SandboxIncoming, options: SendOptions): Promise<{ id: string }> {
  switch (incoming.type) {
    case 'reaction':
      return phone.react(target, incoming.reacted_message_id ?? '', incoming.text ?? '', options)
    case 'edit':
      return phone.edit(target, incoming.edited_message_id ?? '', incoming.text ?? '', options)
    case 'revoke':
      return phone.revoke(target, incoming.revoked_message_id ?? '', options)
    default:
      return phone.sendTo(target, contentOf(incoming, phone), options)
  }
}

function contentOf(incoming: SandboxIncoming, phone: Phone): Content {
  const { type, text = '' } = incoming
  switch (type) {
    case 'text':
      return { type, text }
    case 'location':
      return { type, ...(incoming.location ?? { latitude: 0, longitude: 0 }) }
    case 'poll': {
      const { name, options, selectable_count: selectableCount = 1 } = incoming.poll ?? { name: text, options: [] }
      return { type, name, options, selectableCount }
    }
    case 'button_response':
      return {
        type,
        ...(incoming.button_response?.paramsJson && { style: 'native_flow' }),
        ...(incoming.button_response ?? { id: text, text }),
      }
    case 'contact':
      return { type: 'contacts', contacts: [{ name: text || incoming.from_name || phone.digits, phone: phone.digits }] }
    case 'reaction':
    case 'edit':
    case 'revoke':
      throw new Error(`${type} is not a content of its own`)
    default: {
      const { data, ...media } = incoming.media ?? {}
      const file = data === undefined ? {} : { data: Buffer.from(data, 'base64') }
      return { type, ...media, ...file, ...(text === '' ? {} : { caption: text }) }
    }
  }
}

/** What arrives for a number that is not connected waits for it. */
export function requireRoom(simulator: Simulator, number: string): void {
  const devices = simulator.numbers().find(each => each.digits === number)?.devices ?? []
  if (devices.every(({ unacknowledged }) => unacknowledged < simulator.maxWaiting)) return
  throw new Refused(`${simulator.maxWaiting} messages wait for the number already: let it connect first`)
}

/** A contact is anybody but a linked number: those have owners, who send through the gateway. */
export function contactPhone(simulator: Simulator, digits: string | undefined): Phone {
  if (digits === undefined) throw new Refused('from is required')
  if (simulator.numbers().some(number => number.digits === digits)) {
    throw new Refused('from is a linked number of the sandbox: send from it through POST /v1/messages')
  }
  return simulator.phone(digits)
}

/** Where the contact's message goes: to the number itself, to a group that it is in, or as a status post to it. */
export function targetOf(
  simulator: Simulator,
  number: string,
  phone: Phone,
  { group, broadcast }: { group?: string; broadcast?: boolean },
): string {
  if (broadcast === true) return STATUS
  if (group === undefined) return number
  const known = simulator
    .groups()
    .find(each => (isGroupJid(group) ? each.jid === group : each.subject === group) && each.members().includes(number))
  if (known === undefined) return makeGroup(simulator, number, phone, group)
  const members = known.members()
  if (members.includes(phone.digits)) return known.jid
  if (members.length >= BOUNDS.membersOfSandboxGroup)
    throw new Refused(`group: a group of the sandbox has at most ${BOUNDS.membersOfSandboxGroup} members`)
  known.change('add', [phone.digits])
  return known.jid
}

function makeGroup(simulator: Simulator, number: string, phone: Phone, group: string): string {
  if (isGroupJid(group)) throw new Refused('group: the number is in no group with this JID; give a name to make one')
  const groups = simulator.groups().filter(each => each.members().includes(number))
  if (groups.length >= BOUNDS.sandboxGroups)
    throw new Refused(`group: a sandbox number is in at most ${BOUNDS.sandboxGroups} groups; name one that it is in`)
  return simulator.group({ subject: group, owner: phone.digits, members: [number] }).jid
}
