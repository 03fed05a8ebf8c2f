import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, type GroupMetadata } from 'baileys'
import { BOUNDS } from '../../../domain/bounds.ts'
import type { CommandResult, GroupRequest } from '../../../domain/command.ts'
import {
  type Group,
  type GroupMember,
  type GroupRole,
  type GroupSettings,
  type MemberOutcome,
  outcomeOf,
} from '../../../domain/group.ts'
import { makePlatformId } from '../../../domain/ids.ts'
import { jidKind, withoutDevice } from '../../../domain/jid.ts'
import type { PlatformError } from '../../platform.ts'
import { answerIn, failureOfLibrary, isFinal, refused } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import { ANY_GROUP, queryGroup, summaryOf } from '../remembered/group-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { isAmong } from '../to-event/people.ts'
import { ownNames } from '../wire/own-names.ts'

export type GroupRequestOf<Kind extends GroupRequest['kind']> = Extract<GroupRequest, { kind: Kind }>

const DONE: CommandResult = { kind: 'done' }

export async function listGroups(
  context: SessionContext,
  { after, limit, onlyCommunities }: GroupRequestOf<'group_list'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const all = await context.groups.list(sock).catch((error: unknown) => {
    throw failureOfLibrary(error, 'the list of groups')
  })
  const wanted = onlyCommunities ? all.filter(({ community }) => community?.place === 'itself') : all
  const { page: groups, after: next } = pageOf(wanted, after, limit)
  return { kind: 'groups', groups, after: next }
}

/** The entries after this JID, of a list in the order of their JIDs, and the last JID if more follow. */
export function pageOf<T extends { jid: string }>(
  all: readonly T[],
  after: string | null,
  limit: number,
): { page: T[]; after: string | null } {
  const rest = after === null ? all : all.filter(({ jid }) => jid > after)
  const page = rest.slice(0, limit)
  return { page, after: rest.length > limit ? page.at(-1)!.jid : null }
}

export async function showGroup(
  context: SessionContext,
  { groupJid }: GroupRequestOf<'group_show'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  return { kind: 'group', group: await readGroup(context, connection, groupJid) }
}

/** The changes are made one by one: those before a refused one stay. */
export async function changeGroup(
  context: SessionContext,
  { groupJid, change }: GroupRequestOf<'group_change'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const { sock } = connection
  const { subject, description, settings = {} } = change
  await changing(context, connection, groupJid, async () => {
    const changes = [...(subject === undefined ? [] : [subjectNode(subject)]), ...settingNodes(settings)]
    for (const node of changes) await queryGroup(sock, groupJid, 'set', node)
    if (description === undefined) return
    // The change has to name the description that it replaces.
    context.groups.forget(groupJid)
    const { descId } = await context.groups.find(sock, groupJid)
    await queryGroup(sock, groupJid, 'set', descriptionNode(description, descId))
  })
  return { kind: 'group', group: await readGroup(context, connection, groupJid) }
}

const subjectNode = (subject: string): BinaryNode => ({ tag: 'subject', attrs: {}, content: Buffer.from(subject) })

function descriptionNode(description: string, replaced: string | undefined): BinaryNode {
  const prev: Record<string, string> = replaced === undefined ? {} : { prev: replaced }
  if (description === '') return { tag: 'description', attrs: { delete: 'true', ...prev } }
  const body: BinaryNode = { tag: 'body', attrs: {}, content: Buffer.from(description) }
  return { tag: 'description', attrs: { id: makePlatformId(), ...prev }, content: [body] }
}

function settingNodes({ write, edit, add, joinApproval, disappearingSeconds }: Partial<GroupSettings>): BinaryNode[] {
  const nodes: BinaryNode[] = []
  const push = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): void =>
    void nodes.push(content === undefined ? { tag, attrs } : { tag, attrs, content })
  if (write) push(write === 'admins' ? 'announcement' : 'not_announcement')
  if (edit) push(edit === 'admins' ? 'locked' : 'unlocked')
  if (add) push('member_add_mode', {}, add === 'admins' ? 'admin_add' : 'all_member_add')
  if (joinApproval !== undefined) {
    const state = joinApproval ? 'on' : 'off'
    push('membership_approval_mode', {}, [{ tag: 'group_join', attrs: { state } }])
  }
  if (disappearingSeconds === 0) push('not_ephemeral')
  else if (disappearingSeconds !== undefined) push('ephemeral', { expiration: String(disappearingSeconds) })
  return nodes
}

/** The platform accepts a leave from a number that is not in the group, so this reads the group first. */
export async function leaveGroup(
  context: SessionContext,
  { groupJid }: GroupRequestOf<'group_leave'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  await readGroup(context, connection, groupJid)
  const left: BinaryNode = { tag: 'group', attrs: { id: groupJid } }
  await changing(context, connection, groupJid, () =>
    queryGroup(connection.sock, ANY_GROUP, 'set', { tag: 'leave', attrs: {}, content: [left] }),
  )
  return DONE
}

export async function changeMembers(
  context: SessionContext,
  { groupJid, action, people }: GroupRequestOf<'group_members'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const outcomes = await changing(context, connection, groupJid, async () => {
    const names = action === 'add' ? people : await asMembers(context, connection, groupJid, people)
    const answer = await queryGroup(connection.sock, groupJid, 'set', {
      tag: action,
      attrs: {},
      content: names.map(jid => ({ tag: 'participant', attrs: { jid } })),
    })
    const answered = getBinaryNodeChildren(getBinaryNodeChild(answer, action), 'participant')
    return await outcomesOf(context, people, answered, action === 'add')
  })
  return { kind: 'members', outcomes }
}

/** People by the names that the group uses for them; the platform answers for those who are not in it. */
async function asMembers(
  context: SessionContext,
  { sock }: Connection,
  groupJid: string,
  people: readonly string[],
): Promise<string[]> {
  const { participants } = await context.groups.find(sock, groupJid)
  return await Promise.all(
    people.map(async person => {
      const names = await context.lids.namesOf(person)
      return participants.find(member => isAmong([member], names))?.id ?? person
    }),
  )
}

/** The platform's answer for each person, in the order and by the names of the request. */
export async function outcomesOf(
  { lids }: Pick<SessionContext, 'lids'>,
  people: readonly string[],
  answered: readonly BinaryNode[],
  isJoining: boolean,
): Promise<MemberOutcome[]> {
  for (const { attrs } of answered) await lids.remember(attrs.jid, attrs.phone_number ?? attrs.lid, 'group')
  const open = new Set(answered)
  const found = new Map<string, BinaryNode>()
  for (const person of people) {
    const names = new Set(await lids.namesOf(person))
    const answer = [...open].find(({ attrs }) => namesIn(attrs).some(name => names.has(name)))
    if (!answer) continue
    open.delete(answer)
    found.set(person, answer)
  }
  // A person who was named by number is answered by a hidden identifier that nothing connects with the number yet.
  const rest = [...open]
  return people.map(jid => {
    const answer = found.get(jid) ?? rest.shift()
    if (!answer) return { jid, outcome: 'refused', code: null }
    const code = Number(answer.attrs.error ?? 200)
    return { jid, outcome: outcomeOf(isJoining, code), code: code === 200 ? null : code }
  })
}

const namesIn = (attrs: BinaryNode['attrs']): string[] =>
  [attrs.jid, attrs.phone_number, attrs.lid].filter(name => name !== undefined).map(withoutDevice)

export async function readGroup(context: SessionContext, connection: Connection, groupJid: string): Promise<Group> {
  try {
    return await describeGroup(context, connection, await context.groups.find(connection.sock, groupJid))
  } catch (error) {
    throw answerIn(error) === 403 ? notMember() : refusalOf(error)
  }
}

async function describeGroup({ lids }: SessionContext, { sock }: Connection, metadata: GroupMetadata): Promise<Group> {
  const { participants } = metadata
  const unknown = participants.filter(({ id, phoneNumber }) => !phoneNumber && jidKind(id) !== 'user')
  const phones = await lids.otherNames(unknown.map(({ id }) => id))
  const members = participants.slice(0, BOUNDS.membersShown).map(
    ({ id, phoneNumber, admin }): GroupMember => ({
      jid: withoutDevice(id),
      phone: phoneNumber ?? (jidKind(id) === 'user' ? withoutDevice(id) : (phones.get(id) ?? null)),
      role: roleOf(admin),
    }),
  )
  const names = ownNames(sock.authState.creds)
  const own = participants.find(member => isAmong([member], names))
  return { ...summaryOf(metadata), role: own ? roleOf(own.admin) : null, members }
}

const roleOf = (admin: string | null | undefined): GroupRole =>
  admin === 'superadmin' ? 'owner' : admin === 'admin' ? 'admin' : 'member'

/** Runs a change of a group and then drops the cached group, even if the change fails. */
export async function changing<T>(
  context: SessionContext,
  connection: Connection,
  groupJid: string,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await inGroup(context, connection, groupJid, change)
  } finally {
    context.groups.forget(groupJid)
  }
}

/** Runs a query about a group, and explains its refusal. */
export async function inGroup<T>(
  context: SessionContext,
  connection: Connection,
  groupJid: string,
  query: () => Promise<T>,
): Promise<T> {
  try {
    return await query()
  } catch (error) {
    const code = answerIn(error)
    if (code === 401) throw notAdmin()
    if (code !== 403) throw refusalOf(error)
    context.groups.forget(groupJid)
    // The platform forbids it both to strangers and to members who are not admins.
    await readGroup(context, connection, groupJid)
    throw notAdmin()
  }
}

/** The meaning of an error of the platform about a group. */
function refusalOf(error: unknown): PlatformError {
  const code = answerIn(error)
  if (code === 404 || code === 410) return refused('group not found', 'not_found')
  return isFinal(code) ? refused(`the platform refused the change (${code})`) : failureOfLibrary(error, 'the group')
}

const notAdmin = (): PlatformError => refused('the number is not an admin of the group', 'not_group_admin')
const notMember = (): PlatformError => refused('the number is not in the group', 'not_group_member')
