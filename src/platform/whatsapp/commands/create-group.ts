import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import type { CommandResult } from '../../../domain/command.ts'
import type { Group, GroupSummary, MemberOutcome } from '../../../domain/group.ts'
import { makePlatformId } from '../../../domain/ids.ts'
import { answerIn, failureOfLibrary, isFinal, refused, transient } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import type { CreatedGroup } from '../remembered/created-groups.ts'
import { ANY_GROUP, groupJidOf, queryGroup } from '../remembered/group-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { ownNames } from '../wire/own-names.ts'
import { CLOCKS_DIFFER_MS, createOnce } from './create-once.ts'
import { type GroupRequestOf, outcomesOf, readGroup } from './groups.ts'

type Creation = GroupRequestOf<'group_create'> & { communityJid: string | null }

/**
 * Creates a group. With a key it is created once: a retry gets the group that the first request made, also if that
 * request never learned its outcome.
 */
export async function createGroup(
  context: SessionContext,
  { communityJid = null, ...asked }: GroupRequestOf<'group_create'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const creation = { ...asked, communityJid }
  // The order of the people does not matter. Without a community it is the request that an older process has recorded.
  const request = { ...asked, people: [...asked.people].sort(), ...(communityJid !== null && { communityJid }) }
  return await createOnce(context, context.createdGroups, request, {
    create: onRefused => sendCreation(connection, creation, onRefused),
    findMade: begun => findMade(context, connection, creation, begun),
    describe: made => describe(context, connection, creation, made),
  })
}

/** A group that the platform has made; `answered` has its answer for each person, if the gateway received it. */
interface Made {
  jid: string
  answered?: BinaryNode[]
}

/** `onRefused` is called if the platform answers that it made no group. */
async function sendCreation(
  { sock }: Connection,
  { subject, people, communityJid }: Creation,
  onRefused: () => Promise<void>,
): Promise<Made> {
  try {
    const answer = await queryGroup(sock, ANY_GROUP, 'set', {
      tag: 'create',
      attrs: { subject, key: makePlatformId() },
      content: [
        ...people.map((jid): BinaryNode => ({ tag: 'participant', attrs: { jid } })),
        ...(communityJid === null ? [] : [{ tag: 'linked_parent', attrs: { jid: communityJid } }]),
      ],
    })
    const group = getBinaryNodeChild(answer, 'group')
    if (group?.attrs.id === undefined) throw transient('the platform did not answer with the group')
    return { jid: groupJidOf(group), answered: getBinaryNodeChildren(group, 'participant') }
  } catch (error) {
    const code = answerIn(error)
    if (code !== undefined) await onRefused()
    if (code === 403 && communityJid !== null)
      throw refused('the number is not an admin of the community', 'not_group_admin')
    throw isFinal(code)
      ? refused(`the platform refused to create the group (${code})`)
      : failureOfLibrary(error, 'the group')
  }
}

/** The groups that a creation whose answer never came may have made: of this number, with this subject, made since. */
async function findMade(
  { groups }: SessionContext,
  { sock }: Connection,
  { subject, communityJid }: Pick<Creation, 'subject' | 'communityJid'>,
  { begunAtMs }: CreatedGroup,
): Promise<string[]> {
  const names = ownNames(sock.authState.creds)
  groups.forgetList()
  const candidates = (await groups.list(sock)).filter(
    group =>
      group.subject === subject &&
      (communityJid === null ? group.community === null : isIn(group.community, communityJid)) &&
      group.ownerJid !== null &&
      names.includes(group.ownerJid) &&
      (group.createdAtMs ?? 0) >= begunAtMs - CLOCKS_DIFFER_MS,
  )
  return candidates.map(({ jid }) => jid)
}

const isIn = (community: GroupSummary['community'], jid: string): boolean =>
  community?.place === 'group' && community.jid === jid

async function describe(
  context: SessionContext,
  connection: Connection,
  { people }: Creation,
  { jid, answered }: Made,
): Promise<CommandResult> {
  context.groups.forget(jid)
  const group = await readGroup(context, connection, jid)
  const outcomes = answered
    ? await outcomesOf(context, people, othersIn(connection, answered), true)
    : await outcomesIn(context, group, people)
  return { kind: 'group', group, outcomes }
}

/** The answer lists the creator too. */
function othersIn({ sock }: Connection, answered: readonly BinaryNode[]): BinaryNode[] {
  const names = ownNames(sock.authState.creds)
  return answered.filter(({ attrs }) => attrs.jid === undefined || !names.includes(attrs.jid))
}

/** The outcomes of a creation whose answer is lost: who is in the group now. */
async function outcomesIn(
  { lids }: SessionContext,
  { members }: Group,
  people: readonly string[],
): Promise<MemberOutcome[]> {
  return await Promise.all(
    people.map(async (jid): Promise<MemberOutcome> => {
      const names = await lids.namesOf(jid)
      const isIn = members.some(({ jid: name, phone }) => names.includes(name) || (phone && names.includes(phone)))
      return { jid, outcome: isIn ? 'done' : 'refused', code: null }
    }),
  )
}
