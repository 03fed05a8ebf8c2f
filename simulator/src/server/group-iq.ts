import { nowText, unixSeconds } from '../clock.ts'
import { isGroupJid } from '../jid.ts'
import { userByJid } from '../people.ts'
import { type BinaryNode, child, children, node, textOf } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Group } from '../world/group.ts'
import type { Network } from '../world/network.ts'
import {
  communityFor,
  createCommunity,
  joinCommunity,
  leftOf,
  linkGroups,
  subGroupsNode,
  unlinkGroups,
} from './community.ts'
import { announce, approvalNode, createGroup, groupNode, participantNode, saveGroup } from './group.ts'
import { answerInvite, answerRequests, inviteNode, listRequests, revokeInvite } from './group-invite.ts'
import {
  MAX_CREATED,
  MAX_MEMBERS,
  type MemberAction,
  refusalOf,
  refusedNode,
  requireAdmin,
  requireDescription,
  requireEditor,
  requireEphemeral,
  requireMayChange,
  requireSubject,
} from './group-rules.ts'
import { IqError } from './iq-error.ts'
import { stanzaId } from './stanzas.ts'

/** Answers a device's queries about groups and changes of groups. */
export function answerGroup(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] | undefined {
  const [request] = children(iq)
  if (!request) return undefined
  network.faults.groupQueries.set(device.digits, (network.faults.groupQueries.get(device.digits) ?? 0) + 1)
  const refusal = network.faults.refusedGroupQueries.get(device.digits)
  if (refusal !== undefined) throw new IqError(refusal, refusal === 429 ? 'rate-overlimit' : 'forbidden')
  if (!isGroupJid(iq.attrs.to) || iq.attrs.to === '@g.us' || iq.attrs.to === 'g.us') {
    return answerGeneral(network, device, iq, request)
  }
  const group = network.groups.get(iq.attrs.to ?? '')
  if (!group) throw new IqError(404, 'item-not-found')
  if (!group.members.has(device.digits)) throw new IqError(403, 'forbidden')
  if (iq.attrs.type !== 'get') return changeGroup(network, device, group, request)
  switch (request.tag) {
    case 'invite':
      return [inviteNode(group, device.digits)]
    case 'membership_approval_requests':
      return [listRequests(network, group, device.digits)]
    case 'sub_groups':
      return [subGroupsNode(network, group)]
    default:
      return [groupNode(network, group)]
  }
}

function answerGeneral(
  network: Network,
  device: LinkedDevice,
  iq: BinaryNode,
  request: BinaryNode,
): BinaryNode[] | undefined {
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
    case 'create':
      return [create(network, device, request)]
    case 'leave': {
      const named = children(request, 'group').map(({ attrs }) => attrs.id ?? '')
      for (const jid of leftOf(network, named)) leaveGroup(network, device.digits, jid)
      return [request]
    }
    case 'invite':
      return [answerInvite(network, device.digits, request.attrs.code ?? '', iq.attrs.type === 'set')]
    default:
      return undefined
  }
}

/** The group is created without the people whom the platform refuses; the answer names them too. */
function create(network: Network, device: LinkedDevice, request: BinaryNode): BinaryNode {
  const { subject = '', key } = request.attrs
  requireSubject(subject)
  const created = [...network.groups.values()].filter(({ owner }) => owner === device.digits).length
  const asked = children(request, 'participant').map(({ attrs }) => attrs.jid)
  if (created >= MAX_CREATED || asked.length >= MAX_MEMBERS) throw new IqError(419, 'resource-limit')
  const parent = child(request, 'linked_parent')?.attrs.jid
  const community = parent === undefined ? undefined : communityFor(network, parent, device.digits)
  if (child(request, 'parent')) {
    if (asked.length > 0) throw new IqError(400, 'bad-request')
    const description = textOf(child(child(request, 'description'), 'body'))
    requireDescription(description)
    return groupNode(network, createCommunity(network, { subject, owner: device.digits, description, key }))
  }
  const refused = asked.flatMap(jid => {
    const code = refusalOf(network, undefined, 'add', jid)
    return code === undefined ? [] : [refusedNode(jid, code, unixSeconds(network))]
  })
  const accepted = asked.filter(jid => !refused.some(({ attrs }) => attrs.jid === jid))
  const members = accepted.flatMap(jid => userByJid(network, jid)?.digits ?? [])
  const group = createGroup(network, { subject, owner: device.digits, members, key, ...(parent && { parent }) })
  if (community) joinCommunity(network, device.digits, community, group)
  const answer = groupNode(network, group)
  return { ...answer, content: [...children(answer), ...refused] }
}

/** A member leaves; the server notifies the others. */
export function leaveGroup(network: Network, digits: string, jid: string): void {
  const group = network.groups.get(jid)
  if (!group?.members.has(digits)) return
  const participant = participantNode(network, group, digits)
  group.members.delete(digits)
  group.left?.add(digits)
  saveGroup(network, group)
  announce(network, group, digits, node('remove', {}, [participant]), [digits])
}

function changeGroup(
  network: Network,
  device: LinkedDevice,
  group: Group,
  change: BinaryNode,
): BinaryNode[] | undefined {
  const { digits } = device
  switch (change.tag) {
    case 'add':
    case 'remove':
    case 'promote':
    case 'demote':
      return [changeNamed(network, digits, group, change.tag, change)]
    case 'subject':
      changeSubject(network, digits, group, textOf(change))
      break
    case 'description':
      changeDescription(network, digits, group, change)
      break
    case 'announcement':
    case 'not_announcement':
      requireAdmin(group, digits)
      group.announcement = change.tag === 'announcement'
      announce(network, group, digits, node(change.tag))
      break
    case 'locked':
    case 'unlocked':
      requireAdmin(group, digits)
      group.locked = change.tag === 'locked'
      announce(network, group, digits, node(change.tag))
      break
    case 'ephemeral':
    case 'not_ephemeral': {
      requireEditor(group, digits)
      const seconds = Number(change.attrs.expiration ?? 0)
      requireEphemeral(seconds)
      group.ephemeralSeconds = seconds
      announce(network, group, digits, node(change.tag, change.attrs))
      break
    }
    case 'member_add_mode': {
      requireAdmin(group, digits)
      const mode = textOf(change)
      if (mode !== 'admin_add' && mode !== 'all_member_add') throw new IqError(400, 'bad-request')
      group.adminsAdd = mode === 'admin_add'
      announce(network, group, digits, node('member_add_mode', {}, Buffer.from(mode)))
      break
    }
    case 'membership_approval_mode': {
      requireAdmin(group, digits)
      group.approval = child(change, 'group_join')?.attrs.state === 'on'
      announce(network, group, digits, approvalNode(group.approval))
      break
    }
    case 'membership_requests_action':
      return [answerRequests(network, digits, group, change)]
    case 'invite':
      return [revokeInvite(network, digits, group)]
    case 'links':
      return [linkGroups(network, digits, group, change)]
    case 'unlink':
      return [unlinkGroups(network, digits, group, change)]
    default:
      throw new IqError(400, 'bad-request')
  }
  saveGroup(network, group)
  return undefined
}

function changeSubject(network: Network, digits: string, group: Group, subject: string): void {
  requireEditor(group, digits)
  requireSubject(subject)
  group.subject = subject
  announce(network, group, digits, node('subject', { subject, s_t: nowText(network) }))
}

function changeDescription(network: Network, digits: string, group: Group, change: BinaryNode): void {
  requireEditor(group, digits)
  const current = group.description === '' ? undefined : (group.descriptionId ?? 'D1')
  if (change.attrs.prev !== current) throw new IqError(409, 'conflict')
  const text = change.attrs.delete === 'true' ? '' : textOf(child(change, 'body'))
  requireDescription(text)
  group.description = text
  group.descriptionId = text === '' ? undefined : (change.attrs.id ?? stanzaId(network))
  const body = node('body', {}, Buffer.from(text))
  const said =
    text === '' ? node('description', { delete: 'true' }) : node('description', { id: group.descriptionId }, [body])
  announce(network, group, digits, said)
}

/** Does it to each of the people whom the platform does not refuse, and answers for each. */
function changeNamed(
  network: Network,
  actor: string,
  group: Group,
  action: MemberAction,
  change: BinaryNode,
): BinaryNode {
  requireMayChange(group, actor, action)
  const answers: BinaryNode[] = []
  const changed: string[] = []
  for (const { attrs } of children(change, 'participant')) {
    const code = refusalOf(network, group, action, attrs.jid)
    const user = code === undefined ? userByJid(network, attrs.jid) : undefined
    if (!user) {
      answers.push(refusedNode(attrs.jid, code ?? 404, unixSeconds(network)))
      continue
    }
    changed.push(user.digits)
    answers.push(participantNode(network, group, user.digits))
  }
  if (changed.length > 0) changeMembers(network, actor, group, action, changed)
  return node(action, {}, answers)
}

/** Adds, removes, promotes or demotes members, and notifies the group. */
export function changeMembers(
  network: Network,
  actor: string,
  group: Group,
  action: MemberAction,
  digits: readonly string[],
): void {
  const participants = digits.map(one => {
    const before = participantNode(network, group, one)
    const hidden = group.members.get(one)?.hidden ?? false
    if (action === 'remove') group.members.delete(one)
    else group.members.set(one, { admin: action === 'promote' ? 'admin' : undefined, hidden })
    if (action === 'add') group.requests?.delete(one)
    return before
  })
  saveGroup(network, group)
  announce(network, group, actor, node(action, {}, participants), digits)
}
