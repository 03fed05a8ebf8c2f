import { randomBytes, randomInt } from 'node:crypto'
import { isHidden } from '../behaviour.ts'
import { nowText, unixSeconds } from '../clock.ts'
import { type Addressing, lidJid, numberJid, STATUS } from '../jid.ts'
import { nameOf, userOf } from '../people.ts'
import { type BinaryNode, node } from '../wire/node.ts'
import type { Group, Member } from '../world/group.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { push } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

export interface GroupOptions {
  readonly subject: string
  /** Digits of the owner. */
  readonly owner: string
  /** Digits of the other members. */
  readonly members: readonly string[]
  /** Digits of members whose number the others cannot see, besides numbers that are hidden everywhere. */
  readonly hidden?: readonly string[]
  readonly addressing?: Addressing
  readonly jid?: string
  readonly description?: string
  readonly isCommunity?: boolean
  /** The community that it belongs to. */
  readonly parent?: string
  readonly isAnnouncements?: boolean
  /** By which the creator recognizes the announcement of the group. */
  readonly key?: string | undefined
}

export function createGroup(network: Network, options: GroupOptions): Group {
  const hidden = new Set(options.hidden)
  const members = new Map<string, Member>()
  members.set(options.owner, { admin: 'superadmin', hidden: hidden.has(options.owner) })
  for (const digits of options.members) {
    if (!members.has(digits)) members.set(digits, { admin: undefined, hidden: hidden.has(digits) })
  }
  for (const digits of members.keys()) userOf(network, digits)
  const group: Group = {
    jid: options.jid ?? `1203630${randomInt(10 ** 10, 10 ** 11)}@g.us`,
    subject: options.subject,
    description: options.description ?? '',
    addressing: options.addressing ?? 'lid',
    owner: options.owner,
    created: unixSeconds(network),
    members,
    announcement: options.isAnnouncements ?? false,
    locked: false,
    ephemeralSeconds: 0,
    inviteCode: newInviteCode(),
    requests: new Map(),
    left: new Set(),
    ...(options.isCommunity && { isCommunity: true }),
    ...(options.parent !== undefined && { parent: options.parent }),
    ...(options.isAnnouncements && { isAnnouncements: true }),
  }
  network.groups.set(group.jid, group)
  saveGroup(network, group)
  const created = node('create', { type: 'new', key: options.key }, [groupNode(network, group)])
  announce(network, group, group.owner, created)
  return group
}

/** 22 characters that a link can carry. */
export const newInviteCode = (): string => randomBytes(17).toString('base64url').slice(0, 22)

export function saveGroup(network: Network, group: Group): void {
  network.journal.put(`group/${group.jid}`, () => group)
}

export function deleteGroup(network: Network, group: Group): void {
  announce(network, group, group.owner, node('delete'))
  network.groups.delete(group.jid)
  network.journal.remove(`group/${group.jid}`)
}

export function groupAddressing(network: Network, chat: string): Addressing {
  return network.groups.get(chat)?.addressing ?? (chat === STATUS ? 'lid' : 'pn')
}

/** Whether the others in a group cannot see a member's number. */
export function hidesNumber(group: Group, user: User): boolean {
  return isHidden(user) || group.members.get(user.digits)?.hidden === true
}

/** The number of a member in a group that addresses members by hidden identifier, if it is visible. */
function numberBeside(group: Group, user: User): string | undefined {
  return group.addressing === 'lid' && !hidesNumber(group, user) ? numberJid(user.digits) : undefined
}

export function participantNode(network: Network, group: Group, digits: string): BinaryNode {
  const user = userOf(network, digits)
  const member = group.members.get(digits)
  const names =
    group.addressing === 'lid'
      ? { jid: lidJid(user.lid), phone_number: numberBeside(group, user) }
      : { jid: numberJid(digits), lid: lidJid(user.lid) }
  return node('participant', { ...names, type: member?.admin })
}

export function groupNode(network: Network, group: Group): BinaryNode {
  const owner = userOf(network, group.owner)
  const creator = nameOf(owner, group.addressing)
  const creatorPn = numberBeside(group, owner)
  const created = String(group.created)
  const content = [...group.members.keys()].map(digits => participantNode(network, group, digits))
  if (group.description) {
    const body = node('body', {}, Buffer.from(group.description))
    content.push(node('description', { id: group.descriptionId ?? 'D1', t: created, participant: creator }, [body]))
  }
  if (group.announcement) content.push(node('announcement'))
  if (group.locked) content.push(node('locked'))
  if (group.ephemeralSeconds) content.push(node('ephemeral', { expiration: String(group.ephemeralSeconds) }))
  content.push(node('member_add_mode', {}, Buffer.from(group.adminsAdd ? 'admin_add' : 'all_member_add')))
  if (group.approval) content.push(approvalNode(true))
  if (group.isCommunity) content.push(node('parent', { default_membership_approval_mode: 'request_required' }))
  if (group.parent !== undefined) content.push(node('linked_parent', { jid: group.parent }))
  if (group.isAnnouncements) content.push(node('default_sub_group'))
  const attributes = {
    id: group.jid.replace('@g.us', ''),
    subject: group.subject,
    s_o: creator,
    s_o_pn: creatorPn,
    s_t: created,
    creation: created,
    creator,
    creator_pn: creatorPn,
    addressing_mode: group.addressing,
    size: String(group.members.size),
  }
  return node('group', attributes, content)
}

/** Whether people who follow the invite link wait for an admin. */
export const approvalNode = (on: boolean): BinaryNode =>
  node('membership_approval_mode', {}, [node('group_join', { state: on ? 'on' : 'off' })])

/** Changes of who is in the group, each of which makes another version of it. */
const MEMBERSHIP: ReadonlySet<string> = new Set(['add', 'remove', 'promote', 'demote'])

/** Notifies the linked members of a change to the group. */
export function announce(
  network: Network,
  group: Group,
  actor: string,
  change: BinaryNode,
  also: readonly string[] = [],
): void {
  const user = userOf(network, actor)
  const version = MEMBERSHIP.has(change.tag) ? stanzaId(network) : undefined
  const said = node(change.tag, { ...change.attrs, v_id: version }, change.content)
  const attributes = {
    from: group.jid,
    type: 'w:gp2',
    participant: nameOf(user, group.addressing),
    participant_pn: numberBeside(group, user),
    addressing_mode: group.addressing,
    notify: user.name,
  }
  for (const digits of new Set([...group.members.keys(), ...also])) {
    for (const device of userOf(network, digits).devices.values()) {
      push(network, device, node('notification', { ...attributes, id: stanzaId(network), t: nowText(network) }, [said]))
    }
  }
}

/** Notifies the linked members of another picture; that is a notification of its own kind. */
export function announcePicture(
  network: Network,
  group: Group,
  actor: string,
  { id, isRemoved }: { readonly id: string; readonly isRemoved: boolean },
): void {
  const author = nameOf(userOf(network, actor), group.addressing)
  const said = node(isRemoved ? 'delete' : 'set', { jid: group.jid, id, hash: '2:47DEQpj8', author })
  for (const digits of group.members.keys()) {
    for (const device of userOf(network, digits).devices.values()) {
      const head = { from: group.jid, type: 'picture', id: stanzaId(network), t: nowText(network) }
      push(network, device, node('notification', head, [said]))
    }
  }
}
