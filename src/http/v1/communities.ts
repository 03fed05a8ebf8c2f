import type { GroupRequest } from '../../domain/command.ts'
import { pagesOf } from '../page.ts'
import { route } from '../route.ts'
import { isoOrNull, listOf, Nullable, pageQuery, Strict, Time } from '../schemas.ts'
import { Type } from '../type.ts'
import { detail, groupJidOf, showGroup, showSummary, Subject, Summary } from './groups.ts'
import { parseIdempotencyKey } from './messages.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

const ByCommunity = Strict({ ...BySession.properties, jid: Type.String({ description: 'The JID of the community.' }) })
const ByLinkedGroup = Strict({
  ...ByCommunity.properties,
  group: Type.String({ description: 'The JID of the group.' }),
})

const Linked = Strict({
  jid: Type.String(),
  subject: Type.String(),
  created_at: Nullable(Time),
  size: Nullable(Type.Integer({ description: 'How many members it has, if the platform says so.' })),
  announcements: Type.Boolean({ description: 'Whether it is the group in which only admins write to all members.' }),
})

export const listCommunities = route({
  method: 'GET',
  path: '/v1/sessions/:id/communities',
  tag: 'Groups',
  summary: 'List the communities that a number is in',
  description:
    'A community is in the list of groups too. The routes of groups show it, and change its words, picture and members.',
  scope: 'read',
  params: BySession,
  query: Strict(pageQuery),
  status: 200,
  work: 'waiting',
  response: listOf(Summary),
  errors: [409, 502],
  async handler({ query, ...incoming }, deps) {
    const pages = pagesOf(deps, incoming.identity, `communities ${incoming.params.id}`, query)
    const { limit, cursor: after } = pages.request
    const request: GroupRequest = { kind: 'group_list', after, limit, onlyCommunities: true }
    const { groups, after: next } = await ask(deps, incoming, request, 'groups')
    return { data: groups.map(showSummary), next_cursor: pages.next(next) }
  },
})

export const createCommunity = route({
  method: 'POST',
  path: '/v1/sessions/:id/communities',
  tag: 'Groups',
  summary: 'Create a community',
  description:
    'The platform creates its group for announcements with it. To create further groups in it, use POST /v1/sessions/{id}/groups with `community_jid`. Use an Idempotency-Key, as for a group.',
  scope: 'send',
  params: BySession,
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ description: '1 to 255 visible ASCII characters.' })),
  }),
  body: Strict({ subject: Subject, description: Type.Optional(Type.String({ maxLength: 2_048 })) }),
  status: 201,
  response: Strict({
    ...detail,
    announcements_jid: Nullable(Type.String({ description: 'The group in which only admins write to all members.' })),
  }),
  errors: [409, 502],
  example: {
    headers: { 'Idempotency-Key': 'neighbours' },
    body: { subject: 'Neighbours', description: 'All who live in our street' },
  },
  async handler({ body, headers, ...incoming }, deps) {
    const key = parseIdempotencyKey(headers['idempotency-key'])
    const { subject, description = '' } = body
    const request: GroupRequest = { kind: 'community_create', key, subject, description }
    const { community, announcementsJid } = await ask(deps, incoming, request, 'community')
    return { ...showGroup(community), announcements_jid: announcementsJid }
  },
})

export const listLinkedGroups = route({
  method: 'GET',
  path: '/v1/sessions/:id/communities/:jid/groups',
  tag: 'Groups',
  summary: 'List the groups of a community',
  description: 'The list has groups that the number is not in, too.',
  scope: 'read',
  params: ByCommunity,
  query: Strict(pageQuery),
  status: 200,
  work: 'waiting',
  response: listOf(Linked),
  errors: [404, 409, 502],
  async handler({ query, ...incoming }, deps) {
    const communityJid = groupJidOf(incoming.params.jid)
    const pages = pagesOf(deps, incoming.identity, `community ${incoming.params.id} ${communityJid}`, query)
    const { limit, cursor: after } = pages.request
    const request: GroupRequest = { kind: 'community_groups', communityJid, after, limit }
    const { groups, after: next } = await ask(deps, incoming, request, 'linked_groups')
    const data = groups.map(({ jid, subject, createdAtMs, size, isAnnouncements }) => ({
      jid,
      subject,
      created_at: isoOrNull(createdAtMs),
      size,
      announcements: isAnnouncements,
    }))
    return { data, next_cursor: pages.next(next) }
  },
})

const LinkedResponse = Strict({ jid: Type.String(), community_jid: Type.String(), linked: Type.Boolean() })

export const linkGroup = route({
  method: 'PUT',
  path: '/v1/sessions/:id/communities/:jid/groups/:group',
  tag: 'Groups',
  summary: 'Link a group to a community',
  description:
    'The number has to be an admin of both. The members of the group become members of the community. A group belongs to one community at most.',
  scope: 'send',
  params: ByLinkedGroup,
  status: 200,
  response: LinkedResponse,
  errors: [404, 409, 502],
  handler: (incoming, deps) => changeLink(deps, incoming, true),
})

export const unlinkGroup = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/communities/:jid/groups/:group',
  tag: 'Groups',
  summary: 'Unlink a group from a community',
  description: 'The group stays, with its members. 404 if the community has no such group.',
  scope: 'send',
  params: ByLinkedGroup,
  status: 200,
  response: LinkedResponse,
  errors: [404, 409, 502],
  handler: (incoming, deps) => changeLink(deps, incoming, false),
})

async function changeLink(
  deps: Parameters<typeof ask>[0],
  incoming: Parameters<typeof ask>[1] & { params: { id: string; jid: string; group: string } },
  isLinked: boolean,
) {
  const communityJid = groupJidOf(incoming.params.jid)
  const groupJid = groupJidOf(incoming.params.group, 'group')
  await ask(deps, incoming, { kind: 'community_link', communityJid, groupJid, isLinked }, 'done')
  return { jid: groupJid, community_jid: communityJid, linked: isLinked }
}

export const leaveCommunity = route({
  method: 'POST',
  path: '/v1/sessions/:id/communities/:jid/leave',
  tag: 'Groups',
  summary: 'Leave a community with all its groups',
  scope: 'send',
  params: ByCommunity,
  status: 200,
  response: Strict({ jid: Type.String(), left: Type.Boolean() }),
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const communityJid = groupJidOf(incoming.params.jid)
    await ask(deps, incoming, { kind: 'community_leave', communityJid }, 'done')
    return { jid: communityJid, left: true }
  },
})
