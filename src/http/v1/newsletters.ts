import { Type } from '../type.ts'
import {
  type Channel,
  CHANNEL_ROLES,
  CHANNEL_STATES,
  type ChannelChange,
  channelCodeOf,
  channelUrl,
  REACTION_MODES,
} from '../../domain/channel.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import type { ChannelRequest } from '../../domain/command.ts'
import { invalid, missing } from '../../domain/errors.ts'
import { jidKind } from '../../domain/jid.ts'
import { pagesOf } from '../page.ts'
import { route } from '../route.ts'
import { isoOrNull, listOf, Nullable, OneOf, pageQuery, Strict, Time, upTo } from '../schemas.ts'
import { parseIdempotencyKey } from './messages.ts'
import { ChangedPicture, NEW_PICTURE_NOTE, NewPicture, pictureUrlOf } from './picture.ts'
import { ask } from './session-actions.ts'
import { BySession } from './sessions.ts'

export const ByChannel = Strict({
  ...BySession.properties,
  nl: Type.String({ description: 'The JID of the channel.' }),
})

export const ChannelSchema = Strict({
  jid: Type.String({ examples: ['120363000000000001@newsletter'] }),
  name: Type.String(),
  description: Type.String(),
  invite: Nullable(Type.String({ description: 'The link that shows the channel to everyone.' })),
  role: Nullable(
    OneOf(CHANNEL_ROLES, { description: 'What the number is to the channel. A `guest` does not follow it.' }),
  ),
  followers: Nullable(Type.Integer({ description: 'Null in the list: WhatsApp says it only of one channel.' })),
  muted: Nullable(Type.Boolean()),
  verified: Type.Boolean(),
  state: Nullable(OneOf(CHANNEL_STATES)),
  reactions: Nullable(
    OneOf(REACTION_MODES, {
      description: 'Which reactions followers may leave: any, a few of WhatsApp’s choice, none.',
    }),
  ),
  picture_id: Nullable(Type.String()),
  created_at: Nullable(Time),
})

export const showChannel = (channel: Channel) => ({
  jid: channel.jid,
  name: channel.name,
  description: channel.description,
  invite: channel.inviteCode === null ? null : channelUrl(channel.inviteCode),
  role: channel.role,
  followers: channel.followers,
  muted: channel.isMuted,
  verified: channel.isVerified,
  state: channel.state,
  reactions: channel.reactions,
  picture_id: channel.pictureId,
  created_at: isoOrNull(channel.createdAtMs),
})

const Name = Type.String({ minLength: 1, maxLength: 100 })
const Description = Type.String({ maxLength: 2_048 })

/** Also accepts the JID without its server, as in the route for reactions. */
export function channelJidOf(given: string): string {
  const jid = given.includes('@') ? given : `${given}@newsletter`
  if (jidKind(jid) !== 'channel') throw invalid('nl must be the JID of a channel', 'nl')
  return jid
}

export const listNewsletters = route({
  method: 'GET',
  path: '/v1/sessions/:id/newsletters',
  tag: 'Channels',
  summary: 'List the channels that a number follows or manages',
  scope: 'read',
  params: BySession,
  query: Strict(pageQuery),
  status: 200,
  work: 'waiting',
  response: listOf(ChannelSchema),
  errors: [409, 502],
  async handler({ query, ...incoming }, deps) {
    const pages = pagesOf(deps, incoming.identity, `channels ${incoming.params.id}`, query)
    const { limit, cursor } = pages.request
    const { channels, after } = await ask(deps, incoming, { kind: 'channel_list', after: cursor, limit }, 'channels')
    return { data: channels.map(showChannel), next_cursor: pages.next(after) }
  },
})

export const createNewsletter = route({
  method: 'POST',
  path: '/v1/sessions/:id/newsletters',
  tag: 'Channels',
  summary: 'Create a channel',
  description:
    'The number becomes its owner. Use an Idempotency-Key and repeat it when you retry within a day: the same key returns the same channel and never creates a second one, also if the first response was lost.',
  scope: 'send',
  params: BySession,
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ description: '1 to 255 visible ASCII characters.' })),
  }),
  body: Strict({ name: Name, description: Type.Optional(Description) }),
  status: 201,
  response: ChannelSchema,
  errors: [409, 502],
  example: {
    headers: { 'Idempotency-Key': 'news-1' },
    body: { name: 'Shop news', description: 'Offers every Monday' },
  },
  async handler({ body, headers, ...incoming }, deps) {
    const key = parseIdempotencyKey(headers['idempotency-key'])
    const request: ChannelRequest = {
      kind: 'channel_create',
      key,
      name: body.name,
      description: body.description ?? '',
    }
    return showChannel((await ask(deps, incoming, request, 'channel')).channel)
  },
})

export const previewNewsletter = route({
  method: 'POST',
  path: '/v1/sessions/:id/newsletters/preview',
  tag: 'Channels',
  summary: 'Find a channel by its link',
  description: 'The number does not follow it.',
  scope: 'read',
  params: BySession,
  body: Strict({
    invite: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The link, or the code at its end.',
      examples: ['https://whatsapp.com/channel/0029VaAbCdEfGhIjKlMnOp'],
    }),
  }),
  status: 200,
  work: 'waiting',
  response: ChannelSchema,
  errors: [409, 502],
  example: { body: { invite: 'https://whatsapp.com/channel/0029VaAbCdEfGhIjKlMnOp' } },
  async handler({ body, ...incoming }, deps) {
    const code = channelCodeOf(body.invite)
    if (code === undefined) throw invalid('invite must be a link such as https://whatsapp.com/channel/0029…', 'invite')
    return showChannel((await ask(deps, incoming, { kind: 'channel_preview', code }, 'channel')).channel)
  },
})

export const getNewsletter = route({
  method: 'GET',
  path: '/v1/sessions/:id/newsletters/:nl',
  tag: 'Channels',
  summary: 'Get a channel',
  scope: 'read',
  params: ByChannel,
  status: 200,
  work: 'waiting',
  response: ChannelSchema,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    return showChannel((await ask(deps, incoming, { kind: 'channel_show', channelJid }, 'channel')).channel)
  },
})

export const updateNewsletter = route({
  method: 'PATCH',
  path: '/v1/sessions/:id/newsletters/:nl',
  tag: 'Channels',
  summary: 'Change the name, description or reactions of a channel',
  description: 'Give only what changes. Only its owner and admins may do this.',
  scope: 'send',
  params: ByChannel,
  body: Strict({
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    reactions: Type.Optional(OneOf(REACTION_MODES)),
  }),
  status: 200,
  response: ChannelSchema,
  errors: [404, 409, 502],
  example: { body: { name: 'Shop news', reactions: 'basic' } },
  async handler({ body, ...incoming }, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const change: ChannelChange = body
    if (Object.values(change).every(value => value === undefined))
      throw missing('name, description or reactions is required', 'name')
    return showChannel((await ask(deps, incoming, { kind: 'channel_change', channelJid, change }, 'channel')).channel)
  },
})

export const deleteNewsletter = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/newsletters/:nl',
  tag: 'Channels',
  summary: 'Delete a channel',
  description: 'Only its owner may do this, and nobody can undo it.',
  scope: 'send',
  params: ByChannel,
  status: 200,
  response: Strict({ jid: Type.String(), deleted: Type.Boolean() }),
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    await ask(deps, incoming, { kind: 'channel_delete', channelJid }, 'done')
    return { jid: channelJid, deleted: true }
  },
})

export const setNewsletterPicture = route({
  method: 'PUT',
  path: '/v1/sessions/:id/newsletters/:nl/picture',
  tag: 'Channels',
  summary: 'Set the picture of a channel',
  description: NEW_PICTURE_NOTE,
  scope: 'send',
  params: ByChannel,
  body: NewPicture,
  status: 200,
  response: ChangedPicture,
  errors: [404, 409, 502],
  example: { body: { media_id: 'med_01jd3kqv5m2x7n8p9r0s1t2v3w' } },
  async handler({ body, ...incoming }, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const mediaUrl = await pictureUrlOf(deps, incoming.identity, incoming.params.id, body)
    const request: ChannelRequest = { kind: 'channel_picture_change', channelJid, mediaUrl }
    return { jid: channelJid, picture_id: (await ask(deps, incoming, request, 'picture_changed')).id }
  },
})

export const deleteNewsletterPicture = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/newsletters/:nl/picture',
  tag: 'Channels',
  summary: 'Remove the picture of a channel',
  scope: 'send',
  params: ByChannel,
  status: 200,
  response: ChangedPicture,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const request: ChannelRequest = { kind: 'channel_picture_change', channelJid, mediaUrl: null }
    return { jid: channelJid, picture_id: (await ask(deps, incoming, request, 'picture_changed')).id }
  },
})

const Followed = Strict({ jid: Type.String(), following: Type.Boolean() })

export const followNewsletter = route({
  method: 'PUT',
  path: '/v1/sessions/:id/newsletters/:nl/follow',
  tag: 'Channels',
  summary: 'Follow a channel',
  description: 'New posts of the channel are then events of kind `newsletter_message`.',
  scope: 'send',
  params: ByChannel,
  status: 200,
  response: Followed,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    await ask(deps, incoming, { kind: 'channel_follow', channelJid, follows: true }, 'done')
    return { jid: channelJid, following: true }
  },
})

export const unfollowNewsletter = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/newsletters/:nl/follow',
  tag: 'Channels',
  summary: 'No longer follow a channel',
  scope: 'send',
  params: ByChannel,
  status: 200,
  response: Followed,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    await ask(deps, incoming, { kind: 'channel_follow', channelJid, follows: false }, 'done')
    return { jid: channelJid, following: false }
  },
})

const Muted = Strict({ jid: Type.String(), muted: Type.Boolean() })

export const muteNewsletter = route({
  method: 'PUT',
  path: '/v1/sessions/:id/newsletters/:nl/mute',
  tag: 'Channels',
  summary: 'Mute a channel',
  description: 'The phone of the number then shows no notification for its posts. The events stay the same.',
  scope: 'send',
  params: ByChannel,
  status: 200,
  response: Muted,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    await ask(deps, incoming, { kind: 'channel_mute', channelJid, isMuted: true }, 'done')
    return { jid: channelJid, muted: true }
  },
})

export const unmuteNewsletter = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/newsletters/:nl/mute',
  tag: 'Channels',
  summary: 'No longer mute a channel',
  scope: 'send',
  params: ByChannel,
  status: 200,
  response: Muted,
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    await ask(deps, incoming, { kind: 'channel_mute', channelJid, isMuted: false }, 'done')
    return { jid: channelJid, muted: false }
  },
})

const Count = (description: string) => Nullable(Type.Integer({ description }))

export const listNewsletterPosts = route({
  method: 'GET',
  path: '/v1/sessions/:id/newsletters/:nl/posts',
  tag: 'Channels',
  summary: 'List the posts of a channel',
  description: 'The newest first. The number need not follow the channel. Files of posts are not in the list.',
  scope: 'read',
  params: ByChannel,
  query: Strict(pageQuery),
  status: 200,
  work: 'waiting',
  response: listOf(
    Strict({
      server_id: Type.Integer({ description: 'Name the post by it when you react to it.' }),
      message_id: Nullable(Type.String()),
      type: Type.String({ description: 'As in the event `newsletter_message`.' }),
      text: Type.String(),
      posted_at: Nullable(Time),
      views: Count('Null if WhatsApp does not say it.'),
      forwards: Count('Null if WhatsApp does not say it.'),
      reactions: upTo(BOUNDS.reactionsShown, Strict({ emoji: Type.String(), count: Type.Integer() })),
    }),
  ),
  errors: [404, 409, 502],
  async handler({ query, ...incoming }, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const pages = pagesOf(deps, incoming.identity, `posts ${incoming.params.id} ${channelJid}`, query)
    const { limit, cursor } = pages.request
    const request: ChannelRequest = {
      kind: 'channel_posts',
      channelJid,
      before: cursor === null ? null : Number(cursor),
      limit,
    }
    const { posts, before } = await ask(deps, incoming, request, 'channel_posts')
    const data = posts.map(post => ({
      server_id: post.serverId,
      message_id: post.messageId,
      type: post.type,
      text: post.text,
      posted_at: isoOrNull(post.postedAtMs),
      views: post.views,
      forwards: post.forwards,
      reactions: post.reactions,
    }))
    return { data, next_cursor: pages.next(before === null ? null : String(before)) }
  },
})

export const getNewsletterStats = route({
  method: 'GET',
  path: '/v1/sessions/:id/newsletters/:nl/stats',
  tag: 'Channels',
  summary: 'Get the statistics of a channel',
  description: 'How many people follow it, and what they did with its last 100 posts.',
  scope: 'read',
  params: ByChannel,
  status: 200,
  work: 'waiting',
  response: Strict({
    followers: Nullable(Type.Integer()),
    admins: Count('With the owner. Null if the number does not manage the channel.'),
    posts: Type.Integer({ description: 'How many posts the sums are of, at most 100.' }),
    views: Type.Integer(),
    forwards: Type.Integer(),
    reactions: Type.Integer(),
    since: Nullable(Time),
  }),
  errors: [404, 409, 502],
  async handler(incoming, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const { sinceMs, ...stats } = (await ask(deps, incoming, { kind: 'channel_stats', channelJid }, 'channel_stats'))
      .stats
    return { ...stats, since: isoOrNull(sinceMs) }
  },
})

export const listNewsletterFollowers = route({
  method: 'GET',
  path: '/v1/sessions/:id/newsletters/:nl/followers',
  tag: 'Channels',
  summary: 'List the newest followers and the admins of a channel',
  description: 'Only its owner and admins may see them. WhatsApp gives no further pages.',
  scope: 'read',
  params: ByChannel,
  query: Strict({ limit: pageQuery.limit }),
  status: 200,
  work: 'waiting',
  response: Strict({
    data: upTo(
      100,
      Strict({
        jid: Type.String(),
        phone: Nullable(Type.String({ description: 'The JID with the phone number, if the gateway knows it.' })),
        name: Nullable(Type.String()),
        role: Nullable(OneOf(CHANNEL_ROLES)),
        followed_at: Nullable(Time),
      }),
    ),
  }),
  errors: [404, 409, 502],
  async handler({ query, ...incoming }, deps) {
    const channelJid = channelJidOf(incoming.params.nl)
    const request: ChannelRequest = { kind: 'channel_followers', channelJid, limit: query.limit ?? 50 }
    const { followers } = await ask(deps, incoming, request, 'channel_followers')
    const data = followers.map(({ followedAtMs, ...person }) => ({ ...person, followed_at: isoOrNull(followedAtMs) }))
    return { data }
  },
})
