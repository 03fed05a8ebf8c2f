import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import type { CommandResult } from '../../../domain/command.ts'
import { makePlatformId } from '../../../domain/ids.ts'
import type { PlatformError } from '../../platform.ts'
import { answerIn, failureOfLibrary, isFinal, refused, transient } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import { ANY_GROUP, groupJidOf, queryGroup, queryLinkedGroups } from '../remembered/group-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { ownNames } from '../wire/own-names.ts'
import { CLOCKS_DIFFER_MS, createOnce } from './create-once.ts'
import { changing, type GroupRequestOf, inGroup, pageOf, readGroup } from './groups.ts'

const DONE: CommandResult = { kind: 'done' }

/** Creates a community with its group for announcements: once for each key, like a group. */
export async function createCommunity(
  context: SessionContext,
  creation: GroupRequestOf<'community_create'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const { sock } = connection
  return await createOnce(context, context.createdGroups, creation, {
    create: onRefused => sendCreation(connection, creation, onRefused),
    async findMade({ begunAtMs }) {
      const names = ownNames(sock.authState.creds)
      context.groups.forgetList()
      const made = (await context.groups.list(sock)).filter(
        ({ community, subject, ownerJid, createdAtMs }) =>
          community?.place === 'itself' &&
          subject === creation.subject &&
          ownerJid !== null &&
          names.includes(ownerJid) &&
          (createdAtMs ?? 0) >= begunAtMs - CLOCKS_DIFFER_MS,
      )
      return made.map(({ jid }) => jid)
    },
    async describe({ jid }) {
      context.groups.forget(jid)
      const community = await readGroup(context, connection, jid)
      const groups = await linkedGroupsOf(context, connection, jid)
      const announcementsJid = groups.find(({ isAnnouncements }) => isAnnouncements)?.jid ?? null
      return { kind: 'community', community, announcementsJid }
    },
  })
}

/** `onRefused` is called if the platform answers that it made no community. */
async function sendCreation(
  { sock }: Connection,
  { subject, description }: GroupRequestOf<'community_create'>,
  onRefused: () => Promise<void>,
): Promise<{ jid: string }> {
  const body: BinaryNode = { tag: 'body', attrs: {}, content: Buffer.from(description) }
  const described: BinaryNode = { tag: 'description', attrs: { id: makePlatformId() }, content: [body] }
  const parent: BinaryNode = { tag: 'parent', attrs: { default_membership_approval_mode: 'request_required' } }
  try {
    const answer = await queryGroup(sock, ANY_GROUP, 'set', {
      tag: 'create',
      attrs: { subject, key: makePlatformId() },
      content: [...(description === '' ? [] : [described]), parent],
    })
    const made = getBinaryNodeChild(answer, 'group')
    if (made?.attrs.id === undefined) throw transient('the platform did not answer with the community')
    return { jid: groupJidOf(made) }
  } catch (error) {
    const code = answerIn(error)
    if (code !== undefined) await onRefused()
    throw isFinal(code)
      ? refused(`the platform refused to create the community (${code})`)
      : failureOfLibrary(error, 'the community')
  }
}

export async function listLinkedGroups(
  context: SessionContext,
  { communityJid, after, limit }: GroupRequestOf<'community_groups'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  await requireCommunity(context, connection, communityJid)
  const { page: groups, after: next } = pageOf(await linkedGroupsOf(context, connection, communityJid), after, limit)
  return { kind: 'linked_groups', groups, after: next }
}

const linkedGroupsOf = (context: SessionContext, connection: Connection, communityJid: string) =>
  inGroup(context, connection, communityJid, () => queryLinkedGroups(connection.sock, communityJid))

/** The platform's answer has an outcome for each group. */
export async function linkGroup(
  context: SessionContext,
  { communityJid, groupJid, isLinked }: GroupRequestOf<'community_link'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  await requireCommunity(context, connection, communityJid)
  const group: BinaryNode = { tag: 'group', attrs: { jid: groupJid } }
  const change: BinaryNode = isLinked
    ? { tag: 'links', attrs: {}, content: [{ tag: 'link', attrs: { link_type: 'sub_group' }, content: [group] }] }
    : { tag: 'unlink', attrs: { unlink_type: 'sub_group' }, content: [group] }
  const answer = await changing(context, connection, communityJid, () =>
    queryGroup(connection.sock, communityJid, 'set', change),
  ).finally(() => context.groups.forget(groupJid))
  const said = getBinaryNodeChild(answer, change.tag)
  const about = getBinaryNodeChildren(isLinked ? getBinaryNodeChild(said, 'link') : said, 'group')[0]
  if (!about) throw transient('the platform did not answer about the group')
  const code = about.attrs.error
  if (code === undefined || (isLinked && code === '409' && (await isIn(context, connection, groupJid, communityJid))))
    return DONE
  throw refusalOf(Number(code), isLinked)
}

/** True for a repeated request: the platform refuses to link a group twice. */
async function isIn(
  context: SessionContext,
  connection: Connection,
  groupJid: string,
  communityJid: string,
): Promise<boolean> {
  return (await readGroup(context, connection, groupJid)).community?.jid === communityJid
}

function refusalOf(code: number, isLinking: boolean): PlatformError {
  if (code === 401 || code === 403) return refused('the number is not an admin of the group', 'not_group_admin')
  if (code === 404) return refused(isLinking ? 'group not found' : 'the community has no such group', 'not_found')
  if (code === 406) return refused('a community, or its group for announcements, cannot be linked or unlinked')
  if (code === 409) return refused('the group belongs to another community')
  if (code === 419) return refused('the community has as many groups as the platform allows')
  return isFinal(code)
    ? refused(`the platform refused the change (${code})`)
    : transient(`the platform did not change the group now (${code})`)
}

/** Leaves the groups of the community that the number is in, and the community. */
export async function leaveCommunity(
  context: SessionContext,
  { communityJid }: GroupRequestOf<'community_leave'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const { sock } = connection
  await requireCommunity(context, connection, communityJid)
  context.groups.forgetList()
  const all = await context.groups.list(sock).catch((error: unknown) => {
    throw failureOfLibrary(error, 'the list of groups')
  })
  const jids = all.filter(({ community }) => community?.jid === communityJid).map(({ jid }) => jid)
  const left = jids.map((id): BinaryNode => ({ tag: 'group', attrs: { id } }))
  try {
    await changing(context, connection, communityJid, () =>
      queryGroup(sock, ANY_GROUP, 'set', { tag: 'leave', attrs: {}, content: left }),
    )
  } finally {
    for (const jid of jids) context.groups.forget(jid)
  }
  return DONE
}

async function requireCommunity(context: SessionContext, connection: Connection, jid: string): Promise<void> {
  const { community } = await readGroup(context, connection, jid)
  if (community?.place !== 'itself') throw refused('jid is a group, and no community')
}
