import { unixSeconds } from '../clock.ts'
import { userByJid, userOf } from '../people.ts'
import { lidJid, numberJid } from '../jid.ts'
import { type BinaryNode, children, node } from '../wire/node.ts'
import type { Group } from '../world/group.ts'
import type { Network } from '../world/network.ts'
import { announce, groupNode, hidesNumber, newInviteCode, participantNode, saveGroup } from './group.ts'
import { isAdmin, MAX_MEMBERS, requireAdmin } from './group-rules.ts'
import { IqError } from './iq-error.ts'

/** Revoked codes that a group remembers: an old link is answered differently from an invented one. */
const REVOKED_KEPT = 20
/** People who may wait for the admins of one group. */
const MAX_REQUESTS = 1_000

export function inviteNode(group: Group, digits: string): BinaryNode {
  if (!isAdmin(group, digits)) throw new IqError(401, 'not-authorized')
  group.inviteCode ??= newInviteCode()
  return node('invite', { code: group.inviteCode })
}

export function revokeInvite(network: Network, digits: string, group: Group): BinaryNode {
  if (!isAdmin(group, digits)) throw new IqError(401, 'not-authorized')
  const old = group.inviteCode
  if (old !== undefined) group.revokedCodes = [...(group.revokedCodes ?? []), old].slice(-REVOKED_KEPT)
  group.inviteCode = newInviteCode()
  saveGroup(network, group)
  announce(network, group, digits, node('invite', { code: group.inviteCode }))
  return node('invite', { code: group.inviteCode })
}

/** Answers a number that follows an invite link: with a preview of the group, or by letting it in. */
export function answerInvite(network: Network, digits: string, code: string, isJoining: boolean): BinaryNode {
  const groups = [...network.groups.values()]
  const group = groups.find(({ inviteCode }) => inviteCode !== undefined && inviteCode === code)
  if (!group) {
    const isRevoked = groups.some(({ revokedCodes }) => revokedCodes?.includes(code))
    throw isRevoked ? new IqError(410, 'gone') : new IqError(406, 'not-acceptable')
  }
  if (!isJoining) return groupNode(network, group)
  return joinGroup(network, digits, group)
}

/** The person joins by the invite link, or waits for an admin. */
export function joinGroup(network: Network, digits: string, group: Group): BinaryNode {
  if (group.members.has(digits)) throw new IqError(409, 'conflict')
  if (group.members.size >= MAX_MEMBERS) throw new IqError(419, 'resource-limit')
  if (group.approval) {
    requestToJoin(network, digits, group)
    return node('membership_approval_request', { jid: group.jid })
  }
  enter(network, digits, group, digits, 'invite')
  return node('group', { jid: group.jid })
}

function enter(network: Network, actor: string, group: Group, digits: string, reason: string): void {
  group.requests?.delete(digits)
  group.left?.delete(digits)
  group.members.set(digits, { admin: undefined, hidden: false })
  saveGroup(network, group)
  announce(network, group, actor, node('add', { reason }, [participantNode(network, group, digits)]))
}

function requestToJoin(network: Network, digits: string, group: Group): void {
  if ((group.requests?.size ?? 0) >= MAX_REQUESTS) throw new IqError(419, 'resource-limit')
  const isNew = !group.requests?.has(digits)
  group.requests?.set(digits, { t: unixSeconds(network), method: 'invite_link' })
  saveGroup(network, group)
  if (!isNew) return
  const named = node('requested_user', namesOf(network, group, digits))
  announce(network, group, digits, node('created_membership_requests', { request_method: 'invite_link' }, [named]))
}

function namesOf(network: Network, group: Group, digits: string): Record<string, string | undefined> {
  const user = userOf(network, digits)
  if (group.addressing === 'pn') return { jid: numberJid(digits), lid: lidJid(user.lid) }
  return { jid: lidJid(user.lid), phone_number: hidesNumber(group, user) ? undefined : numberJid(digits) }
}

export function listRequests(network: Network, group: Group, digits: string): BinaryNode {
  requireAdmin(group, digits)
  const waiting = [...(group.requests ?? [])].map(([one, { t, method }]) =>
    node('membership_approval_request', {
      ...namesOf(network, group, one),
      request_method: method,
      request_time: String(t),
    }),
  )
  return node('membership_approval_requests', {}, waiting)
}

/** An admin lets people in or turns them away; a person who does not wait gets an error. */
export function answerRequests(network: Network, actor: string, group: Group, action: BinaryNode): BinaryNode {
  requireAdmin(group, actor)
  const verdicts = children(action).map(verdict =>
    node(
      verdict.tag,
      {},
      children(verdict, 'participant').map(({ attrs }) =>
        answerRequest(network, actor, group, verdict.tag, attrs.jid ?? ''),
      ),
    ),
  )
  return node('membership_requests_action', {}, verdicts)
}

function answerRequest(network: Network, actor: string, group: Group, verdict: string, jid: string): BinaryNode {
  const digits = userByJid(network, jid)?.digits
  if (digits === undefined || !group.requests?.has(digits)) return node('participant', { jid, error: '404' })
  if (verdict !== 'approve') {
    group.requests.delete(digits)
    saveGroup(network, group)
    const named = node('participant', namesOf(network, group, digits))
    announce(network, group, actor, node('revoked_membership_requests', {}, [named]))
  } else {
    if (group.members.size >= MAX_MEMBERS) return node('participant', { jid, error: '419' })
    enter(network, actor, group, digits, 'invite')
  }
  return node('participant', { jid })
}
