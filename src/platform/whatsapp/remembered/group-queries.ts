import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getBinaryNodeChildString,
  type GroupMetadata,
  type WASocket,
} from 'baileys'
import type { GroupSummary, LinkedGroup } from '../../../domain/group.ts'
import { withoutDevice } from '../../../domain/jid.ts'
import { Unanswered } from '../errors.ts'
import { unixSeconds, wholeNumber } from '../wire/numbers.ts'

export type QueryingSock = Pick<WASocket, 'query'>

/** Queries that name no group go to this address. */
export const ANY_GROUP = '@g.us'

/** A query in the namespace of groups. The library's own functions take a missing answer for success. */
export async function queryGroup(
  sock: QueryingSock,
  to: string,
  type: 'get' | 'set',
  content: BinaryNode,
): Promise<BinaryNode> {
  const iq: BinaryNode = { tag: 'iq', attrs: { type, xmlns: 'w:g2', to }, content: [content] }
  const answer = (await sock.query(iq)) as BinaryNode | undefined
  if (!answer) throw new Unanswered()
  return answer
}

/** All groups that the number is in, in the order of their JIDs. */
export async function queryGroups(sock: QueryingSock): Promise<GroupSummary[]> {
  const wanted = ['participants', 'description'].map((tag): BinaryNode => ({ tag, attrs: {} }))
  const answer = await queryGroup(sock, ANY_GROUP, 'get', { tag: 'participating', attrs: {}, content: wanted })
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'groups'), 'group')
    .map(readSummary)
    .sort((a, b) => (a.jid < b.jid ? -1 : 1))
}

/** The JID of a group in an answer, which has only its first part. */
export const groupJidOf = ({ attrs: { id = '' } }: BinaryNode): string => (id.includes('@') ? id : `${id}@g.us`)

/** A group as an answer of the platform describes it. */
export function readSummary(group: BinaryNode): GroupSummary {
  const { subject = '', creator, creation, size } = group.attrs
  const has = (tag: string): boolean => getBinaryNodeChild(group, tag) !== undefined
  return {
    jid: groupJidOf(group),
    subject,
    description: getBinaryNodeChildString(getBinaryNodeChild(group, 'description'), 'body') ?? '',
    ownerJid: creator === undefined ? null : withoutDevice(creator),
    createdAtMs: inMs(creation),
    size: wholeNumber(size) ?? getBinaryNodeChildren(group, 'participant').length,
    community: communityOf(groupJidOf(group), {
      isCommunity: has('parent'),
      isAnnouncements: has('default_sub_group'),
      parent: getBinaryNodeChild(group, 'linked_parent')?.attrs.jid,
    }),
    settings: {
      write: has('announcement') ? 'admins' : 'all',
      edit: has('locked') ? 'admins' : 'all',
      add: getBinaryNodeChildString(group, 'member_add_mode') === 'all_member_add' ? 'all' : 'admins',
      joinApproval: has('membership_approval_mode'),
      disappearingSeconds: wholeNumber(getBinaryNodeChild(group, 'ephemeral')?.attrs.expiration) ?? 0,
    },
  }
}

function communityOf(
  jid: string,
  {
    isCommunity,
    isAnnouncements,
    parent,
  }: { isCommunity: boolean; isAnnouncements: boolean; parent: string | undefined },
): GroupSummary['community'] {
  if (isCommunity) return { jid, place: 'itself' }
  return parent === undefined ? null : { jid: parent, place: isAnnouncements ? 'announcements' : 'group' }
}

/** The groups of a community, in the order of their JIDs. Members see those that they are not in, too. */
export async function queryLinkedGroups(sock: QueryingSock, communityJid: string): Promise<LinkedGroup[]> {
  const answer = await queryGroup(sock, communityJid, 'get', { tag: 'sub_groups', attrs: {} })
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'sub_groups'), 'group')
    .map(group => ({
      jid: groupJidOf(group),
      subject: group.attrs.subject ?? '',
      createdAtMs: inMs(group.attrs.creation),
      size: wholeNumber(group.attrs.size) ?? null,
      isAnnouncements: getBinaryNodeChild(group, 'default_sub_group') !== undefined,
    }))
    .sort((a, b) => (a.jid < b.jid ? -1 : 1))
}

/** The same from what the library has read. */
export function summaryOf(group: GroupMetadata): GroupSummary {
  return {
    jid: group.id,
    subject: group.subject ?? '',
    description: group.desc ?? '',
    ownerJid: group.owner ?? null,
    createdAtMs: inMs(group.creation),
    size: group.size ?? group.participants.length,
    community: communityOf(group.id, {
      isCommunity: group.isCommunity === true,
      isAnnouncements: group.isCommunityAnnounce === true,
      parent: group.linkedParent,
    }),
    settings: {
      write: group.announce ? 'admins' : 'all',
      edit: group.restrict ? 'admins' : 'all',
      add: group.memberAddMode ? 'all' : 'admins',
      joinApproval: group.joinApprovalMode ?? false,
      disappearingSeconds: group.ephemeralDuration ?? 0,
    },
  }
}

function inMs(time: unknown): number | null {
  const seconds = unixSeconds(time)
  return seconds === undefined ? null : seconds * 1000
}
