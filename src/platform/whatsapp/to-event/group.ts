import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import type { GroupAction, GroupEvent } from '../../../domain/event.ts'
import { isPerson, withoutDevice } from '../../../domain/jid.ts'
import type { Interpretation } from '../../platform.ts'
import { groupJidOf } from '../remembered/group-queries.ts'
import type { SessionContext } from '../session-context.ts'
import { notificationLabel } from '../wire/labels.ts'
import { secondsOr, wholeNumber } from '../wire/numbers.ts'

/** Changes of groups are events only for endpoints that include them. */
export async function interpretGroupChange(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  if (!(await context.storage.isIncluded('group')))
    return { kind: 'none', reason: notificationLabel(stanza.attrs.type ?? '') }
  const events: GroupEvent[] = []
  for (const node of getAllBinaryNodeChildren(stanza)) {
    for (const change of readChanges(stanza, node)) events.push(await eventOf(context, stanza, change, receivedAtMs))
  }
  return events.length > 0 ? { kind: 'events', events } : { kind: 'none', reason: 'group_change_unknown' }
}

interface Change extends Pick<GroupEvent, 'subject' | 'description' | 'settings' | 'linked_jid'> {
  action: GroupAction
  people?: BinaryNode[]
  /** The picture's notification names its author in another place. */
  actor?: string | undefined
}

const SETTINGS: Readonly<Record<string, GroupEvent['settings']>> = {
  announcement: { write: 'admins' },
  not_announcement: { write: 'all' },
  locked: { edit: 'admins' },
  unlocked: { edit: 'all' },
  not_ephemeral: { disappearing_seconds: 0 },
}

/** Several only for links of several groups. */
function readChanges(stanza: BinaryNode, node: BinaryNode): Change[] {
  if (node.tag === 'link' || node.tag === 'unlink') return readLinks(node)
  const change = readChange(stanza, node)
  return change ? [change] : []
}

/** `undefined` if it changes nothing that the API shows. */
function readChange(stanza: BinaryNode, node: BinaryNode): Change | undefined {
  if (stanza.attrs.type === 'picture')
    return node.tag === 'set' || node.tag === 'delete' ? { action: 'picture', actor: node.attrs.author } : undefined
  const participants = getBinaryNodeChildren(node, 'participant')
  switch (node.tag) {
    case 'create': {
      const group = getBinaryNodeChild(node, 'group')
      const subject = group?.attrs.subject ?? ''
      return { action: 'create', subject, people: getBinaryNodeChildren(group, 'participant') }
    }
    case 'delete':
      return { action: 'delete' }
    case 'add':
      return { action: node.attrs.reason === 'invite' ? 'join' : 'add', people: participants }
    case 'remove':
      return { action: isOnlyBy(stanza, participants) ? 'leave' : 'remove', people: participants }
    case 'promote':
    case 'demote':
      return { action: node.tag, people: participants }
    case 'subject':
      return { action: 'subject', subject: node.attrs.subject ?? '' }
    case 'description':
      return { action: 'description', description: textIn(getBinaryNodeChild(node, 'body')) }
    case 'invite':
      return { action: 'invite' }
    case 'created_membership_requests':
      return { action: 'request', people: getBinaryNodeChildren(node, 'requested_user') }
    case 'revoked_membership_requests':
      return { action: 'request_over', people: participants }
    default:
      return readSettings(node)
  }
}

/** The platform also notifies the other groups of the community, with another type: no event for those. */
function readLinks(node: BinaryNode): Change[] {
  const type = node.attrs[`${node.tag}_type`]
  if (type !== 'sub_group' && type !== 'parent_group') return []
  const action = node.tag === 'link' ? 'linked' : 'unlinked'
  return getBinaryNodeChildren(node, 'group').map(other => ({
    action,
    linked_jid: other.attrs.jid ?? groupJidOf(other),
  }))
}

function readSettings(node: BinaryNode): Change | undefined {
  const changed = Object.hasOwn(SETTINGS, node.tag) ? SETTINGS[node.tag] : settingsIn(node)
  return changed && { action: 'settings', settings: changed }
}

function settingsIn(node: BinaryNode): GroupEvent['settings'] | undefined {
  switch (node.tag) {
    case 'ephemeral':
      return { disappearing_seconds: wholeNumber(node.attrs.expiration) ?? 0 }
    case 'member_add_mode':
      return { add: textIn(node) === 'all_member_add' ? 'all' : 'admins' }
    case 'membership_approval_mode':
      return { join_approval: getBinaryNodeChild(node, 'group_join')?.attrs.state === 'on' }
    default:
      return undefined
  }
}

/** Whether the person who did it is the only one whom it concerns. */
function isOnlyBy({ attrs }: BinaryNode, people: readonly BinaryNode[]): boolean {
  const [first, ...others] = people
  const names = [first?.attrs.jid, first?.attrs.phone_number, first?.attrs.lid]
  return others.length === 0 && attrs.participant !== undefined && names.includes(attrs.participant)
}

function textIn(node: BinaryNode | undefined): string {
  const content = node?.content
  if (typeof content === 'string') return content
  return content instanceof Uint8Array ? Buffer.from(content).toString() : ''
}

async function eventOf(
  context: SessionContext,
  { attrs }: BinaryNode,
  { action, people = [], actor = attrs.participant, ...changed }: Change,
  receivedAtMs: number,
): Promise<GroupEvent> {
  const members: GroupEvent['members'] = []
  for (const person of people) {
    const { jid, phone_number: phone, lid } = person.attrs
    if (isPerson(jid)) members.push(await nameOf(context, jid!, phone ?? lid))
  }
  const by = isPerson(actor) ? await nameOf(context, actor!, attrs.participant_pn) : undefined
  return {
    kind: 'group',
    session_id: context.sessionId,
    group_jid: attrs.from ?? '',
    action,
    actor_jid: by?.jid ?? '',
    ...(by?.phone !== undefined && { actor_phone: by.phone }),
    members,
    ...changed,
    timestamp_unix: secondsOr(attrs.t, receivedAtMs),
  }
}

/** A person, with the phone number if it is known. */
async function nameOf(
  { lids }: SessionContext,
  jid: string,
  other: string | undefined,
): Promise<{ jid: string; phone?: string }> {
  await lids.remember(withoutDevice(jid), other, 'group')
  const phone = await lids.phoneOf(jid)
  return { jid: withoutDevice(jid), ...(phone !== undefined && { phone }) }
}
