import { type BinaryNode, child, children, node } from '../wire/node.ts'
import type { Group } from '../world/group.ts'
import type { Network } from '../world/network.ts'
import { announce, createGroup, type GroupOptions, participantNode, saveGroup } from './group.ts'
import { isAdmin } from './group-rules.ts'
import { IqError } from './iq-error.ts'

/** Groups of one community, without that for announcements. */
const MAX_LINKED = 100

export const groupsOf = (network: Network, community: Group): Group[] =>
  [...network.groups.values()].filter(({ parent }) => parent === community.jid)

/** Creates a community with its group for announcements. */
export function createCommunity(network: Network, options: Omit<GroupOptions, 'members'>): Group {
  const community = createGroup(network, { ...options, members: [], isCommunity: true })
  const { subject, owner } = options
  createGroup(network, { subject, owner, members: [], parent: community.jid, isAnnouncements: true })
  return community
}

function requireAdminOf(community: Group, digits: string): void {
  if (!community.isCommunity) throw new IqError(400, 'bad-request')
  if (!isAdmin(community, digits)) throw new IqError(401, 'not-authorized')
}

const hasRoom = (network: Network, community: Group): boolean =>
  groupsOf(network, community).filter(({ isAnnouncements }) => !isAnnouncements).length < MAX_LINKED

/** The community in which a member wants to create a group. */
export function communityFor(network: Network, jid: string, digits: string): Group {
  const community = network.groups.get(jid)
  if (!community?.isCommunity) throw new IqError(404, 'item-not-found')
  if (!isAdmin(community, digits)) throw new IqError(403, 'forbidden')
  if (!hasRoom(network, community)) throw new IqError(419, 'resource-limit')
  return community
}

/** What the members of a community see of its groups. */
export function subGroupsNode(network: Network, community: Group): BinaryNode {
  if (!community.isCommunity) throw new IqError(400, 'bad-request')
  const described = groupsOf(network, community).map(group =>
    node(
      'group',
      {
        id: group.jid.replace('@g.us', ''),
        subject: group.subject,
        s_t: String(group.created),
        creation: String(group.created),
        size: String(group.members.size),
      },
      group.isAnnouncements ? [node('default_sub_group')] : undefined,
    ),
  )
  return node('sub_groups', {}, described)
}

/** Links groups to a community, and answers for each. */
export function linkGroups(network: Network, digits: string, community: Group, links: BinaryNode): BinaryNode {
  requireAdminOf(community, digits)
  const link = child(links, 'link')
  if (link?.attrs.link_type !== 'sub_group') throw new IqError(400, 'bad-request')
  const answers = children(link, 'group').map(({ attrs: { jid = '' } }) => {
    const error = linkError(network, digits, community, jid)
    if (error === undefined) joinCommunity(network, digits, community, network.groups.get(jid)!)
    return node('group', { jid, error: error?.toString() })
  })
  return node('links', {}, [node('link', { link_type: 'sub_group' }, answers)])
}

function linkError(network: Network, digits: string, community: Group, jid: string): number | undefined {
  const group = network.groups.get(jid)
  if (!group) return 404
  if (!isAdmin(group, digits)) return 401
  if (group.isCommunity) return 406
  if (group.parent !== undefined) return 409
  return hasRoom(network, community) ? undefined : 419
}

/** Everyone in the group is in the community from now on. */
export function joinCommunity(network: Network, actor: string, community: Group, group: Group): void {
  group.parent = community.jid
  saveGroup(network, group)
  const announcements = groupsOf(network, community).filter(({ isAnnouncements }) => isAnnouncements)
  for (const whole of [community, ...announcements]) enterAll(network, actor, whole, [...group.members.keys()])
  announceLink(network, actor, 'link', community, group)
}

function enterAll(network: Network, actor: string, whole: Group, digits: readonly string[]): void {
  const entering = digits.filter(one => !whole.members.has(one))
  if (entering.length === 0) return
  for (const one of entering) whole.members.set(one, { admin: undefined, hidden: false })
  saveGroup(network, whole)
  const named = entering.map(one => participantNode(network, whole, one))
  announce(network, whole, actor, node('add', { reason: 'linked_group_join' }, named))
}

export function unlinkGroups(network: Network, digits: string, community: Group, unlink: BinaryNode): BinaryNode {
  requireAdminOf(community, digits)
  if (unlink.attrs.unlink_type !== 'sub_group') throw new IqError(400, 'bad-request')
  const answers = children(unlink, 'group').map(({ attrs: { jid = '' } }) => {
    const group = network.groups.get(jid)
    if (!group || group.parent !== community.jid) return node('group', { jid, error: '404' })
    if (group.isAnnouncements) return node('group', { jid, error: '406' })
    group.parent = undefined
    saveGroup(network, group)
    announceLink(network, digits, 'unlink', community, group)
    return node('group', { jid })
  })
  return node('unlink', { unlink_type: 'sub_group' }, answers)
}

function announceLink(
  network: Network,
  actor: string,
  change: 'link' | 'unlink',
  community: Group,
  group: Group,
): void {
  const said = (type: string, { jid, subject, created }: Group): BinaryNode => {
    const why = change === 'unlink' ? { unlink_reason: 'unlink_group' } : {}
    return node(change, { [`${change}_type`]: type, ...why }, [node('group', { jid, subject, s_t: String(created) })])
  }
  announce(network, community, actor, said('sub_group', group))
  announce(network, group, actor, said('parent_group', community))
}

/** The groups that a member leaves of those that it names: announcements only together with their community. */
export function leftOf(network: Network, named: readonly string[]): string[] {
  return named.filter(jid => {
    const group = network.groups.get(jid)
    return !group?.isAnnouncements || (group.parent !== undefined && named.includes(group.parent))
  })
}
