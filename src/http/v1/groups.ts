import { Type } from '../type.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import type { GroupRequest } from '../../domain/command.ts'
import { invalid, missing } from '../../domain/errors.ts'
import {
  COMMUNITY_PLACES,
  DISAPPEARING_SECONDS,
  type Group,
  GROUP_ROLES,
  type GroupChange,
  type GroupSettings,
  type GroupSummary,
  inviteCodeOf,
  inviteUrl,
  MEMBER_ACTIONS,
  MEMBER_OUTCOMES,
  PERMITTED,
} from '../../domain/group.ts'
import { jidKind, parseContact } from '../../domain/jid.ts'
import { pagesOf } from '../page.ts'
import { route } from '../route.ts'
import { isoOrNull, listOf, Nullable, OneOf, pageQuery, Strict, Time, upTo } from '../schemas.ts'
import { parseIdempotencyKey } from './messages.ts'
import {
  ChangedPicture,
  NEW_PICTURE_NOTE,
  NewPicture,
  PictureFile,
  PictureQuery,
  pictureUrlOf,
  showPicture,
} from './picture.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

const MAX_PEOPLE = 100

const ByGroup = Strict({ ...BySession.properties, jid: Type.String({ description: 'The JID of the group.' }) })

const settings = {
  write: OneOf(PERMITTED, { description: 'Who may send messages.' }),
  edit: OneOf(PERMITTED, { description: 'Who may change subject, description and picture.' }),
  add: OneOf(PERMITTED, { description: 'Who may add people.' }),
  join_approval: Type.Boolean({ description: 'Whether an admin has to approve people who follow the invite link.' }),
  disappearing_seconds: Type.Integer({
    description: 'After how many seconds messages disappear: 86400, 604800 or 7776000. 0 keeps them.',
  }),
}

const summary = {
  jid: Type.String(),
  subject: Type.String(),
  description: Type.String(),
  owner_jid: Nullable(Type.String({ description: 'The member who created the group.' })),
  created_at: Nullable(Time),
  size: Type.Integer({ description: 'How many members it has.' }),
  community_jid: Nullable(Type.String({ description: 'The community that the group belongs to.' })),
  community: Nullable(
    Strict(
      {
        jid: Type.String(),
        place: OneOf(COMMUNITY_PLACES, {
          description:
            '`itself`: this is the community, which has no messages. `announcements`: its group in which only admins write. `group`: another of its groups.',
        }),
      },
      { description: 'The community that this is, or that the group belongs to.' },
    ),
  ),
  settings: Strict(settings),
}
export const Summary = Strict(summary)

export const detail = {
  ...summary,
  role: Nullable(OneOf(GROUP_ROLES, { description: 'The role of the number itself.' })),
  members: upTo(
    BOUNDS.membersShown,
    Strict({
      jid: Type.String({ description: 'As the group names the member: an @lid JID in most groups.' }),
      phone: Nullable(Type.String({ description: 'The JID with the phone number, if the gateway knows it.' })),
      role: OneOf(GROUP_ROLES),
    }),
  ),
}
const Detail = Strict(detail)

const Outcome = Strict({
  jid: Type.String({ description: 'The person, as in the request; a phone number became a JID.' }),
  outcome: OneOf(MEMBER_OUTCOMES, {
    description:
      '`done`, or why the platform did not do it. `invite_needed`: the person lets only contacts add them; send them the invite link.',
  }),
  code: Nullable(Type.Integer({ description: 'The code of the platform, unless it is done.' })),
})

export const Subject = Type.String({ minLength: 1, maxLength: 100 })
const People = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: MAX_PEOPLE,
  description: 'JIDs or phone numbers.',
})
const Invite = Strict({
  invite: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The link, or the code at its end.',
    examples: ['https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv'],
  }),
})
const Link = Strict({
  invite: Type.String({ description: 'The link that lets people join. Treat it like a password.' }),
  code: Type.String({ description: 'The code at the end of the link.' }),
})

const showSettings = (given: GroupSettings) => ({
  write: given.write,
  edit: given.edit,
  add: given.add,
  join_approval: given.joinApproval,
  disappearing_seconds: given.disappearingSeconds,
})

export const showSummary = (group: GroupSummary) => ({
  jid: group.jid,
  subject: group.subject,
  description: group.description,
  owner_jid: group.ownerJid,
  created_at: isoOrNull(group.createdAtMs),
  size: group.size,
  community_jid: !group.community || group.community.place === 'itself' ? null : group.community.jid,
  // A worker of an older version does not send it.
  community: group.community ?? null,
  settings: showSettings(group.settings),
})

export const showGroup = (group: Group) => ({ ...showSummary(group), role: group.role, members: group.members })

const showLink = (code: string) => ({ invite: inviteUrl(code), code })

export function groupJidOf(given: string, param = 'jid'): string {
  const jid = given.includes('@') ? given : `${given}@g.us`
  if (jidKind(jid) !== 'group') throw invalid(`${param} must be the JID of a group`, param)
  return jid
}

const peopleOf = (members: string[]): string[] => [...new Set(members.map(each => parseContact('members', each)))]

function codeOf(invite: string): string {
  const code = inviteCodeOf(invite)
  if (code === undefined) throw invalid('invite must be a link such as https://chat.whatsapp.com/AbC…', 'invite')
  return code
}

export const listGroups = route({
  method: 'GET',
  path: '/v1/sessions/:id/groups',
  tag: 'Groups',
  summary: 'List the groups that a number is in',
  description: 'The list has no members; get a group to see them.',
  scope: 'read',
  params: BySession,
  query: Strict(pageQuery),
  status: 200,
  work: 'waiting',
  response: listOf(Summary),
  errors: [409, 502],
  async handler({ query, ...incoming }, deps) {
    const pages = pagesOf(deps, incoming.identity, `groups ${incoming.params.id}`, query)
    const { limit, cursor } = pages.request
    const { groups, after } = await ask(deps, incoming, { kind: 'group_list', after: cursor, limit }, 'groups')
    return { data: groups.map(showSummary), next_cursor: pages.next(after) }
  },
})

export const getGroup = route({
  method: 'GET',
  path: '/v1/sessions/:id/groups/:jid',
  tag: 'Groups',
  summary: 'Get a group with its members',
  scope: 'read',
  params: ByGroup,
  status: 200,
  work: 'waiting',
  response: Detail,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    return showGroup((await ask(deps, incoming, { kind: 'group_show', groupJid }, 'group')).group)
  },
})

export const createGroup = route({
  method: 'POST',
  path: '/v1/sessions/:id/groups',
  tag: 'Groups',
  summary: 'Create a group',
  description:
    'The platform may refuse some of the people: `outcomes` has the result for each. Use an Idempotency-Key and repeat it when you retry within a day: the same key returns the same group and never creates a second one, also if the first response was lost.',
  scope: 'send',
  params: BySession,
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ description: '1 to 255 visible ASCII characters.' })),
  }),
  body: Strict({
    subject: Subject,
    members: People,
    community_jid: Type.Optional(
      Type.String({ description: 'The community in which the group is created. The number has to be its admin.' }),
    ),
  }),
  status: 201,
  response: Strict({ ...detail, outcomes: upTo(MAX_PEOPLE, Outcome) }),
  errors: [409, 502],
  example: {
    headers: { 'Idempotency-Key': 'project-1001' },
    body: { subject: 'Project 1001', members: ['15551234567'] },
  },
  async handler({ body, headers, ...incoming }, deps) {
    const key = parseIdempotencyKey(headers['idempotency-key'])
    const people = peopleOf(body.members)
    const communityJid = body.community_jid === undefined ? null : groupJidOf(body.community_jid, 'community_jid')
    const request: GroupRequest = { kind: 'group_create', key, subject: body.subject, people, communityJid }
    const { group, outcomes = [] } = await ask(deps, incoming, request, 'group')
    return { ...showGroup(group), outcomes }
  },
})

const SETTING_NAMES = Object.keys(settings) as (keyof typeof settings)[]

export const updateGroup = route({
  method: 'PATCH',
  path: '/v1/sessions/:id/groups/:jid',
  tag: 'Groups',
  summary: 'Change the subject, description or settings of a group',
  description:
    'Give only what changes. The gateway makes the changes one after the other: if the platform refuses one, the earlier ones stay. An empty description removes it.',
  scope: 'send',
  params: ByGroup,
  body: Strict({
    subject: Type.Optional(Subject),
    description: Type.Optional(Type.String({ maxLength: 2_048 })),
    settings: Type.Optional(
      Strict({
        write: Type.Optional(settings.write),
        edit: Type.Optional(settings.edit),
        add: Type.Optional(settings.add),
        join_approval: Type.Optional(settings.join_approval),
        disappearing_seconds: Type.Optional(settings.disappearing_seconds),
      }),
    ),
  }),
  status: 200,
  response: Detail,
  errors: [404, 409, 502],
  example: { body: { subject: 'Project 1002', settings: { write: 'admins' } } },
  async handler({ body, ...incoming }, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const change = changeOf(body)
    return showGroup((await ask(deps, incoming, { kind: 'group_change', groupJid, change }, 'group')).group)
  },
})

interface ChangeBody {
  subject?: string
  description?: string
  settings?: Partial<ReturnType<typeof showSettings>>
}

function changeOf({ subject, description, settings: given = {} }: ChangeBody): GroupChange {
  const { write, edit, add, join_approval: joinApproval, disappearing_seconds: disappearingSeconds } = given
  if (disappearingSeconds !== undefined && !(DISAPPEARING_SECONDS as readonly number[]).includes(disappearingSeconds))
    throw invalid(
      `disappearing_seconds must be one of ${DISAPPEARING_SECONDS.join(', ')}`,
      'settings.disappearing_seconds',
    )
  const change: GroupChange = {
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    settings: {
      ...(write !== undefined && { write }),
      ...(edit !== undefined && { edit }),
      ...(add !== undefined && { add }),
      ...(joinApproval !== undefined && { joinApproval }),
      ...(disappearingSeconds !== undefined && { disappearingSeconds }),
    },
  }
  const isEmpty =
    subject === undefined && description === undefined && SETTING_NAMES.every(name => given[name] === undefined)
  if (isEmpty) throw missing('subject, description or settings is required', 'subject')
  return change
}

export const leaveGroup = route({
  method: 'POST',
  path: '/v1/sessions/:id/groups/:jid/leave',
  tag: 'Groups',
  summary: 'Leave a group',
  scope: 'send',
  params: ByGroup,
  status: 200,
  response: Strict({ jid: Type.String(), left: Type.Boolean() }),
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    await ask(deps, incoming, { kind: 'group_leave', groupJid }, 'done')
    return { jid: groupJid, left: true }
  },
})

export const changeMembers = route({
  method: 'POST',
  path: '/v1/sessions/:id/groups/:jid/members',
  tag: 'Groups',
  summary: 'Add, remove, promote or demote members',
  description: `Up to ${MAX_PEOPLE} people in one request, with an outcome for each. Only admins may remove, promote and demote.`,
  scope: 'send',
  params: ByGroup,
  body: Strict({ action: OneOf(MEMBER_ACTIONS), members: People }),
  status: 200,
  response: Strict({ data: upTo(MAX_PEOPLE, Outcome) }),
  errors: [404, 409, 502],
  example: { body: { action: 'add', members: ['15551234567'] } },
  async handler({ body, ...incoming }, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const request: GroupRequest = {
      kind: 'group_members',
      groupJid,
      action: body.action,
      people: peopleOf(body.members),
    }
    return { data: (await ask(deps, incoming, request, 'members')).outcomes }
  },
})

export const getInvite = route({
  method: 'GET',
  path: '/v1/sessions/:id/groups/:jid/invite',
  tag: 'Groups',
  summary: 'Get the invite link of a group',
  description: 'Only admins may see it.',
  scope: 'send',
  params: ByGroup,
  status: 200,
  work: 'waiting',
  response: Link,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const request: GroupRequest = { kind: 'group_invite', groupJid, renew: false }
    return showLink((await ask(deps, incoming, request, 'invite')).code)
  },
})

export const revokeInvite = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/groups/:jid/invite',
  tag: 'Groups',
  summary: 'Revoke the invite link of a group',
  description: 'The old link stops working. The response has the new one.',
  scope: 'send',
  params: ByGroup,
  status: 200,
  response: Link,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const request: GroupRequest = { kind: 'group_invite', groupJid, renew: true }
    return showLink((await ask(deps, incoming, request, 'invite')).code)
  },
})

export const previewGroup = route({
  method: 'POST',
  path: '/v1/sessions/:id/groups/preview',
  tag: 'Groups',
  summary: 'Look at a group by its invite link',
  description: 'The number does not join. The link is in the body, so that no log of addresses has it.',
  scope: 'read',
  params: BySession,
  body: Invite,
  status: 200,
  work: 'waiting',
  response: Summary,
  errors: [409, 502],
  example: { body: { invite: 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv' } },
  async handler({ body, ...incoming }, deps) {
    const request: GroupRequest = { kind: 'group_preview', code: codeOf(body.invite) }
    return showSummary((await ask(deps, incoming, request, 'group_summary')).group)
  },
})

export const joinGroup = route({
  method: 'POST',
  path: '/v1/sessions/:id/groups/join',
  tag: 'Groups',
  summary: 'Join a group by its invite link',
  description:
    'With `status: pending` an admin of the group has to let the number in. A number that is in the group already gets `joined`.',
  scope: 'send',
  params: BySession,
  body: Invite,
  status: 200,
  response: Strict({ jid: Type.String(), status: OneOf(['joined', 'pending'] as const) }),
  errors: [409, 502],
  example: { body: { invite: 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv' } },
  async handler({ body, ...incoming }, deps) {
    const request: GroupRequest = { kind: 'group_join', code: codeOf(body.invite) }
    const { groupJid, isPending } = await ask(deps, incoming, request, 'joined')
    return { jid: groupJid, status: isPending ? 'pending' : 'joined' }
  },
})

export const getGroupPicture = route({
  method: 'GET',
  path: '/v1/sessions/:id/groups/:jid/picture',
  tag: 'Groups',
  summary: 'Get the picture of a group',
  description: '404 if the group has none.',
  scope: 'read',
  params: ByGroup,
  query: PictureQuery,
  status: 200,
  work: 'waiting',
  response: PictureFile,
  errors: [404, 409, 502],
  async handler({ query, ...incoming }, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const request: GroupRequest = { kind: 'group_picture', groupJid, size: query.size ?? 'full' }
    return showPicture((await ask(deps, incoming, request, 'picture')).picture)
  },
})

export const setGroupPicture = route({
  method: 'PUT',
  path: '/v1/sessions/:id/groups/:jid/picture',
  tag: 'Groups',
  summary: 'Set the picture of a group',
  description: NEW_PICTURE_NOTE,
  scope: 'send',
  params: ByGroup,
  body: NewPicture,
  status: 200,
  response: ChangedPicture,
  errors: [404, 409, 502],
  example: { body: { media_id: 'med_01jd3kqv5m2x7n8p9r0s1t2v3w' } },
  async handler({ body, ...incoming }, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const mediaUrl = await pictureUrlOf(deps, incoming.identity, incoming.params.id, body)
    const request: GroupRequest = { kind: 'group_picture_change', groupJid, mediaUrl }
    return { jid: groupJid, picture_id: (await ask(deps, incoming, request, 'picture_changed')).id }
  },
})

export const deleteGroupPicture = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/groups/:jid/picture',
  tag: 'Groups',
  summary: 'Remove the picture of a group',
  scope: 'send',
  params: ByGroup,
  status: 200,
  response: ChangedPicture,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const request: GroupRequest = { kind: 'group_picture_change', groupJid, mediaUrl: null }
    return { jid: groupJid, picture_id: (await ask(deps, incoming, request, 'picture_changed')).id }
  },
})

export const listJoinRequests = route({
  method: 'GET',
  path: '/v1/sessions/:id/groups/:jid/requests',
  tag: 'Groups',
  summary: 'List the people who wait to join a group',
  description: 'Only admins may see them. People wait where `join_approval` is on.',
  scope: 'read',
  params: ByGroup,
  query: Strict(pageQuery),
  status: 200,
  work: 'waiting',
  response: listOf(Strict({ jid: Type.String(), phone: Nullable(Type.String()), requested_at: Nullable(Time) })),
  errors: [404, 409, 502],
  async handler({ query, ...incoming }, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const pages = pagesOf(deps, incoming.identity, `group requests ${incoming.params.id} ${groupJid}`, query)
    const { limit, cursor } = pages.request
    const request: GroupRequest = { kind: 'group_requests', groupJid, after: cursor, limit }
    const { requests, after } = await ask(deps, incoming, request, 'join_requests')
    const data = requests.map(({ jid, phone, requestedAtMs }) => ({
      jid,
      phone,
      requested_at: isoOrNull(requestedAtMs),
    }))
    return { data, next_cursor: pages.next(after) }
  },
})

export const answerJoinRequests = route({
  method: 'POST',
  path: '/v1/sessions/:id/groups/:jid/requests',
  tag: 'Groups',
  summary: 'Approve or reject people who wait to join a group',
  scope: 'send',
  params: ByGroup,
  body: Strict({ action: OneOf(['approve', 'reject'] as const), members: People }),
  status: 200,
  response: Strict({ data: upTo(MAX_PEOPLE, Outcome) }),
  errors: [404, 409, 502],
  example: { body: { action: 'approve', members: ['15551234567'] } },
  async handler({ body, ...incoming }, deps) {
    const groupJid = groupJidOf(incoming.params.jid)
    const request: GroupRequest = {
      kind: 'group_admit',
      groupJid,
      action: body.action,
      people: peopleOf(body.members),
    }
    return { data: (await ask(deps, incoming, request, 'members')).outcomes }
  },
})
