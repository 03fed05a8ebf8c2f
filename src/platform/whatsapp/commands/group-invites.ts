import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import type { CommandResult } from '../../../domain/command.ts'
import type { JoinRequest } from '../../../domain/group.ts'
import { jidKind, withoutDevice } from '../../../domain/jid.ts'
import type { PlatformError } from '../../platform.ts'
import { answerIn, failureOfLibrary, isFinal, refused, transient } from '../errors.ts'
import { ANY_GROUP, groupJidOf, queryGroup, type QueryingSock, readSummary } from '../remembered/group-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { unixSeconds } from '../wire/numbers.ts'
import { changing, type GroupRequestOf, inGroup, outcomesOf, pageOf } from './groups.ts'

export async function getInvite(
  context: SessionContext,
  { groupJid, renew }: GroupRequestOf<'group_invite'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const answer = await inGroup(context, connection, groupJid, () =>
    queryGroup(connection.sock, groupJid, renew ? 'set' : 'get', { tag: 'invite', attrs: {} }),
  )
  const code = getBinaryNodeChild(answer, 'invite')?.attrs.code
  if (code === undefined) throw transient('the platform did not answer with an invite')
  return { kind: 'invite', code }
}

export async function previewGroup(
  context: SessionContext,
  { code }: GroupRequestOf<'group_preview'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  try {
    return { kind: 'group_summary', group: readSummary(await queryInvite(sock, code)) }
  } catch (error) {
    throw refusalOfInvite(error)
  }
}

/** The group that an invite leads to. */
async function queryInvite(sock: QueryingSock, code: string): Promise<BinaryNode> {
  const answer = await queryGroup(sock, ANY_GROUP, 'get', { tag: 'invite', attrs: { code } })
  const group = getBinaryNodeChild(answer, 'group')
  if (!group) throw transient('the platform did not answer with the group')
  return group
}

/** The library's own function does not say that an admin has to let the number in. */
export async function joinGroup(
  context: SessionContext,
  { code }: GroupRequestOf<'group_join'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  try {
    const answer = await queryGroup(sock, ANY_GROUP, 'set', { tag: 'invite', attrs: { code } })
    const pending = getBinaryNodeChild(answer, 'membership_approval_request')
    const joined = pending ?? getBinaryNodeChild(answer, 'group')
    const groupJid = joined?.attrs.jid
    if (groupJid === undefined) throw transient('the platform did not answer with the group')
    context.groups.forget(groupJid)
    return { kind: 'joined', groupJid, isPending: pending !== undefined }
  } catch (error) {
    if (answerIn(error) !== 409) throw refusalOfInvite(error)
    // The number is in the group already.
    return { kind: 'joined', groupJid: groupJidOf(await queryInvite(sock, code)), isPending: false }
  }
}

function refusalOfInvite(error: unknown): PlatformError {
  const code = answerIn(error)
  if (code === 406 || code === 410 || code === 404)
    return refused('the invite was revoked or never existed', 'invite_invalid')
  return isFinal(code) ? refused(`the platform refused the invite (${code})`) : failureOfLibrary(error, 'the group')
}

export async function listJoinRequests(
  context: SessionContext,
  { groupJid, after, limit }: GroupRequestOf<'group_requests'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const answer = await inGroup(context, connection, groupJid, () =>
    queryGroup(connection.sock, groupJid, 'get', { tag: 'membership_approval_requests', attrs: {} }),
  )
  const list = getBinaryNodeChild(answer, 'membership_approval_requests')
  const waiting = getBinaryNodeChildren(list, 'membership_approval_request')
  const all = waiting.map(({ attrs }) => ({ jid: withoutDevice(attrs.jid ?? ''), attrs }))
  const { page, after: next } = pageOf(
    all.sort((a, b) => (a.jid < b.jid ? -1 : 1)),
    after,
    limit,
  )
  const requests: JoinRequest[] = []
  for (const { jid, attrs } of page) {
    await context.lids.remember(jid, attrs.phone_number ?? attrs.lid, 'group')
    requests.push(await requestOf(context, jid, attrs))
  }
  return { kind: 'join_requests', requests, after: next }
}

async function requestOf({ lids }: SessionContext, jid: string, attrs: BinaryNode['attrs']): Promise<JoinRequest> {
  const seconds = unixSeconds(attrs.request_time)
  return {
    jid,
    phone: (jidKind(jid) === 'user' ? jid : await lids.phoneOf(jid)) ?? null,
    requestedAtMs: seconds === undefined ? null : seconds * 1000,
  }
}

export async function answerJoinRequests(
  context: SessionContext,
  { groupJid, action, people }: GroupRequestOf<'group_admit'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const outcomes = await changing(context, connection, groupJid, async () => {
    // Requests name people as the group does.
    const names = await Promise.all(people.map(async jid => (await context.lids.lidOf(jid)) ?? jid))
    const participants = names.map(jid => ({ tag: 'participant', attrs: { jid } }))
    const answer = await queryGroup(connection.sock, groupJid, 'set', {
      tag: 'membership_requests_action',
      attrs: {},
      content: [{ tag: action, attrs: {}, content: participants }],
    })
    const verdict = getBinaryNodeChild(getBinaryNodeChild(answer, 'membership_requests_action'), action)
    return await outcomesOf(context, people, getBinaryNodeChildren(verdict, 'participant'), false)
  })
  return { kind: 'members', outcomes }
}
