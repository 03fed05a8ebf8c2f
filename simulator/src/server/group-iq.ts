import { nowText } from '../clock.ts'
import { isGroupJid } from '../jid.ts'
import { userByJid } from '../people.ts'
import { type BinaryNode, child, children, node, textOf } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Group } from '../world/group.ts'
import type { Network } from '../world/network.ts'
import { announce, createGroup, groupNode, participantNode, saveGroup } from './group.ts'
import { IqError } from './iq-error.ts'

/** Answers a device's queries about groups and changes of groups. */
export function answerGroup(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] | undefined {
  const [request] = children(iq)
  if (!request) return undefined
  network.faults.groupQueries.set(device.digits, (network.faults.groupQueries.get(device.digits) ?? 0) + 1)
  const refusal = network.faults.refusedGroupQueries.get(device.digits)
  if (refusal !== undefined) throw new IqError(refusal, refusal === 429 ? 'rate-overlimit' : 'forbidden')
  if (!isGroupJid(iq.attrs.to) || iq.attrs.to === '@g.us' || iq.attrs.to === 'g.us') {
    return answerGeneral(network, device, request)
  }
  const group = network.groups.get(iq.attrs.to ?? '')
  if (!group) throw new IqError(404, 'item-not-found')
  if (!group.members.has(device.digits)) throw new IqError(403, 'forbidden')
  if (iq.attrs.type === 'get') return request.tag === 'invite' ? [invite(group)] : [groupNode(network, group)]
  return changeGroup(network, device, group, request)
}

function invite(group: Group): BinaryNode {
  return node('invite', { code: Buffer.from(group.jid).toString('base64url').slice(0, 22) })
}

function answerGeneral(network: Network, device: LinkedDevice, request: BinaryNode): BinaryNode[] | undefined {
  switch (request.tag) {
    case 'participating': {
      const mine = [...network.groups.values()].filter(group => group.members.has(device.digits))
      return [
        node(
          'groups',
          {},
          mine.map(group => groupNode(network, group)),
        ),
      ]
    }
    case 'create': {
      const members = children(request, 'participant').flatMap(
        ({ attrs }) => userByJid(network, attrs.jid)?.digits ?? [],
      )
      const group = createGroup(network, { subject: request.attrs.subject ?? '', owner: device.digits, members })
      return [groupNode(network, group)]
    }
    case 'leave': {
      for (const left of children(request, 'group')) leave(network, device, left.attrs.id ?? '')
      return [request]
    }
    default:
      return undefined
  }
}

function leave(network: Network, device: LinkedDevice, jid: string): void {
  const group = network.groups.get(jid)
  if (!group) return
  const participant = participantNode(network, group, device.digits)
  group.members.delete(device.digits)
  saveGroup(network, group)
  announce(network, group, device.digits, node('remove', {}, [participant]), [device.digits])
}

function changeGroup(
  network: Network,
  device: LinkedDevice,
  group: Group,
  change: BinaryNode,
): BinaryNode[] | undefined {
  switch (change.tag) {
    case 'add':
    case 'remove':
    case 'promote':
    case 'demote':
      return [changeMembers(network, device.digits, group, change.tag, membersNamed(network, change))]
    case 'subject':
      group.subject = textOf(change)
      announce(network, group, device.digits, node('subject', { subject: group.subject, s_t: nowText(network) }))
      break
    case 'description':
      group.description = textOf(child(change, 'body'))
      announce(network, group, device.digits, change)
      break
    case 'announcement':
    case 'not_announcement':
      group.announcement = change.tag === 'announcement'
      announce(network, group, device.digits, node(change.tag))
      break
    case 'locked':
    case 'unlocked':
      group.locked = change.tag === 'locked'
      announce(network, group, device.digits, node(change.tag))
      break
    case 'ephemeral':
    case 'not_ephemeral':
      group.ephemeralSeconds = Number(change.attrs.expiration ?? 0)
      announce(network, group, device.digits, change)
      break
    case 'invite':
      return [invite(group)]
  }
  saveGroup(network, group)
  return undefined
}

function membersNamed(network: Network, change: BinaryNode): string[] {
  return children(change, 'participant').flatMap(({ attrs }) => userByJid(network, attrs.jid)?.digits ?? [])
}

/** Adds, removes, promotes or demotes members, and notifies the group. */
export function changeMembers(
  network: Network,
  actor: string,
  group: Group,
  action: 'add' | 'remove' | 'promote' | 'demote',
  digits: readonly string[],
): BinaryNode {
  const participants = digits.map(one => {
    const before = participantNode(network, group, one)
    const hidden = group.members.get(one)?.hidden ?? false
    if (action === 'remove') group.members.delete(one)
    else group.members.set(one, { admin: action === 'promote' ? 'admin' : undefined, hidden })
    return before
  })
  saveGroup(network, group)
  announce(network, group, actor, node(action, {}, participants), digits)
  return node(action, {}, participants)
}
