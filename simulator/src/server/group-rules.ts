import { behaviourOf } from '../behaviour.ts'
import { userByJid } from '../people.ts'
import { type BinaryNode, node } from '../wire/node.ts'
import type { Group } from '../world/group.ts'
import type { Network } from '../world/network.ts'
import { IqError } from './iq-error.ts'

export const MAX_MEMBERS = 1_024
/** Groups that one number may create. */
export const MAX_CREATED = 200
const MAX_SUBJECT = 100
const MAX_DESCRIPTION = 2_048
/** Seconds for which messages may stay; 0 keeps them. */
const EPHEMERAL: ReadonlySet<number> = new Set([0, 86_400, 604_800, 7_776_000])
const ADD_REQUEST_SECONDS = 3 * 86_400

export type MemberAction = 'add' | 'remove' | 'promote' | 'demote'

const forbidden = (): IqError => new IqError(403, 'forbidden')
const notAcceptable = (): IqError => new IqError(406, 'not-acceptable')

export const isAdmin = (group: Group, digits: string): boolean => group.members.get(digits)?.admin !== undefined

export function requireAdmin(group: Group, digits: string): void {
  if (!isAdmin(group, digits)) throw forbidden()
}

/** Whether a member may change subject, description and picture. */
export function requireEditor(group: Group, digits: string): void {
  if (group.locked) requireAdmin(group, digits)
}

/** Whether a member may do this to other members at all. */
export function requireMayChange(group: Group, digits: string, action: MemberAction): void {
  // With approval, people whom members add would wait for an admin; that is not simulated.
  const isOpen = action === 'add' && !group.adminsAdd && !group.approval
  if (!isOpen) requireAdmin(group, digits)
}

export function requireSubject(subject: string): void {
  if (subject.trim() === '' || subject.length > MAX_SUBJECT) throw notAcceptable()
}

export function requireDescription(description: string): void {
  if (description.length > MAX_DESCRIPTION) throw notAcceptable()
}

export function requireEphemeral(seconds: number): void {
  if (!EPHEMERAL.has(seconds)) throw notAcceptable()
}

/** Why the platform refuses to do this to one person; `undefined`: it does it. */
export function refusalOf(
  network: Network,
  group: Group | undefined,
  action: MemberAction,
  jid: string | undefined,
): number | undefined {
  const user = userByJid(network, jid)
  if (!user) return 404
  const member = group?.members.get(user.digits)
  if (action !== 'add') {
    if (!member) return 404
    return member.admin === 'superadmin' && action !== 'promote' ? 406 : undefined
  }
  const behaviour = behaviourOf(user)
  if (behaviour === 'absent') return 404
  if (member) return 409
  if (group && group.members.size >= MAX_MEMBERS) return 419
  if (group?.left?.has(user.digits)) return 408
  return behaviour === 'refused' ? 403 : undefined
}

/** The answer about a person who was not changed. Who may not be added can be invited. */
export function refusedNode(jid: string | undefined, code: number, now: number): BinaryNode {
  const request = node('add_request', { code: 'Zm9yIHRlc3Rz', expiration: String(now + ADD_REQUEST_SECONDS) })
  return node('participant', { jid, error: String(code) }, code === 403 ? [request] : undefined)
}
