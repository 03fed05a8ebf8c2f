import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  normalizeMessageContent,
  type WASocket,
} from 'baileys'
import { BOUNDS } from '../../../domain/bounds.ts'
import type { Channel, ChannelFollower, ChannelPost } from '../../../domain/channel.ts'
import type { ChannelRequest, CommandResult } from '../../../domain/command.ts'
import { jidKind } from '../../../domain/jid.ts'
import type { PlatformError } from '../../platform.ts'
import { answerIn, failureOfLibrary, isFinal, mediaFailed, refused } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import { decodeMessage } from '../received/newer-content.ts'
import {
  askJson,
  type ChannelInfo,
  channelQueries,
  countOf,
  FOLLOWED,
  inMs,
  type JsonQuery,
  readChannelInfo,
  readFollowed,
  roleOf,
} from '../remembered/channel-queries.ts'
import { node, query } from '../remembered/contact-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { readContent } from '../to-event/content.ts'
import { profilePicture } from '../to-message/profile-picture.ts'
import { wholeNumber } from '../wire/numbers.ts'
import { CLOCKS_DIFFER_MS, createOnce } from './create-once.ts'
import { pageOf } from './groups.ts'

type Of<Kind extends ChannelRequest['kind']> = Extract<ChannelRequest, { kind: Kind }>

const DONE: CommandResult = { kind: 'done' }

/** The ids by which the web client asks today; where the library knows another one, that is tried second. */
const CREATE = ['25149874324715067', '8823471724422422']
const CHANGE = '24250201037901610'
const DELETE = '30062808666639665'
const FOLLOW = '24404358912487870'
const UNFOLLOW = '9767147403369991'
const SETTING = '31938993655691868'
const FOLLOWERS = '27472091235714801'
const ADMIN_INFO = '26278439461859188'

/** Posts of which the statistics are made. */
const COUNTED_POSTS = 100

/** The channels that the number follows or manages. */
export async function listChannels(
  context: SessionContext,
  { after, limit }: Of<'channel_list'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const listed = await ask(sock, FOLLOWED, 'xwa2_newsletter_subscribed')
  const all = (Array.isArray(listed) ? (listed as ChannelInfo[]) : [])
    .map(readChannelInfo)
    .filter(({ jid }) => jidKind(jid) === 'channel')
    .sort((a, b) => (a.jid < b.jid ? -1 : 1))
  const { page: channels, after: next } = pageOf(all, after, limit)
  return { kind: 'channels', channels, after: next }
}

export async function showChannel(context: SessionContext, { channelJid }: Of<'channel_show'>): Promise<CommandResult> {
  const { sock } = openConnection(context)
  return { kind: 'channel', channel: await readChannelNow(sock, channelQueries(channelJid)) }
}

export async function previewChannel(context: SessionContext, { code }: Of<'channel_preview'>): Promise<CommandResult> {
  const { sock } = openConnection(context)
  try {
    const found = await askJson(sock, channelQueries(code, 'INVITE'), 'xwa2_newsletter')
    return { kind: 'channel', channel: readChannelInfo(found) }
  } catch (error) {
    throw answerIn(error) === 404 ? refused('the link leads to no channel', 'invite_invalid') : refusalOf(error)
  }
}

export async function readChannelNow(sock: WASocket, queries: readonly JsonQuery[]): Promise<Channel> {
  const channel = readChannelInfo(await ask(sock, queries, 'xwa2_newsletter'))
  if (jidKind(channel.jid) !== 'channel') throw notFound()
  return channel
}

/** With a key it is created once, also if the first request never learned its outcome. */
export async function createChannel(context: SessionContext, creation: Of<'channel_create'>): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const { name, description } = creation
  const variables = { input: { name, description } }
  return await createOnce(context, context.createdChannels, creation, {
    async create(onRefused) {
      try {
        const made = await askJson(
          sock,
          CREATE.map(id => ({ id, variables })),
          'xwa2_newsletter_create',
        )
        return { jid: String(made.id), info: made as ChannelInfo }
      } catch (error) {
        if (answerIn(error) !== undefined) await onRefused()
        throw refusalOf(error)
      }
    },
    async findMade({ begunAtMs }) {
      const managed = ((await readFollowed(sock)) ?? []).map(readChannelInfo)
      return managed
        .filter(
          channel =>
            channel.role === 'owner' &&
            channel.name === name &&
            (channel.createdAtMs ?? 0) >= begunAtMs - CLOCKS_DIFFER_MS,
        )
        .map(({ jid }) => jid)
    },
    async describe(made) {
      context.managedChannels.set(made.jid, true)
      const channel = 'info' in made ? readChannelInfo(made.info) : await readChannelNow(sock, channelQueries(made.jid))
      return { kind: 'channel', channel }
    },
  })
}

export async function changeChannel(
  context: SessionContext,
  { channelJid, change }: Of<'channel_change'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const { name, description, reactions } = change
  await update(sock, channelJid, {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    settings: reactions === undefined ? null : { reaction_codes: { value: reactions.toUpperCase() } },
  })
  return { kind: 'channel', channel: await readChannelNow(sock, channelQueries(channelJid)) }
}

/** The platform takes the file inside of the query. */
export async function changeChannelPicture(
  context: SessionContext,
  { channelJid, mediaUrl }: Of<'channel_picture_change'>,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const file = mediaUrl === null ? undefined : await profilePicture(context, mediaUrl, signal)
  const changed = await update(sock, channelJid, { picture: file?.toString('base64') ?? '', settings: null })
  return { kind: 'picture_changed', id: file ? readChannelInfo(changed).pictureId : null }
}

const NOT_ACCEPTABLE = 406

async function update(sock: WASocket, channelJid: string, updates: object): Promise<ChannelInfo> {
  const variables = { newsletter_id: channelJid, updates }
  try {
    return await askJson(sock, [{ id: CHANGE, variables }], 'xwa2_newsletter_update')
  } catch (error) {
    throw answerIn(error) === NOT_ACCEPTABLE ? mediaFailed('the platform does not take the picture') : refusalOf(error)
  }
}

export async function deleteChannel(
  context: SessionContext,
  { channelJid }: Of<'channel_delete'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const variables = { newsletter_id: channelJid }
  await ask(sock, [{ id: DELETE, variables }], 'xwa2_newsletter_delete_v2')
  return DONE
}

/** The platform refuses this for channels of the number itself. */
export async function followChannel(
  context: SessionContext,
  { channelJid, follows }: Of<'channel_follow'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const variables = { newsletter_id: channelJid }
  const [id, path] = follows ? [FOLLOW, 'xwa2_newsletter_join_v2'] : [UNFOLLOW, 'xwa2_newsletter_leave_v2']
  await ask(sock, [{ id, variables }], path)
  if (follows) context.channels.addFollowed(channelJid)
  return DONE
}

/** `MUTE_ADMIN_ACTIVITY` is about posts; the other setting concerns those who manage the channel. */
export async function muteChannel(
  context: SessionContext,
  { channelJid, isMuted }: Of<'channel_mute'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const input = { newsletter_id: channelJid, type: 'MUTE_ADMIN_ACTIVITY', value: isMuted ? 'ON' : 'OFF' }
  await ask(sock, [{ id: SETTING, variables: { input } }], 'xwa2_newsletter_update_user_setting')
  return DONE
}

export async function listPosts(
  context: SessionContext,
  { channelJid, before, limit }: Of<'channel_posts'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const posts = await readPosts(sock, channelJid, before, limit + 1)
  const page = posts.slice(0, limit)
  return { kind: 'channel_posts', posts: page, before: posts.length > limit ? page.at(-1)!.serverId : null }
}

/** The newest posts before this one, newest first. */
async function readPosts(sock: WASocket, jid: string, before: number | null, count: number): Promise<ChannelPost[]> {
  const attrs = { type: 'jid', jid, count: String(count), ...(before !== null && { before: String(before) }) }
  try {
    const answer = await query(sock, { type: 'get', xmlns: 'newsletter' }, [node('messages', attrs)])
    return getBinaryNodeChildren(getBinaryNodeChild(answer, 'messages'), 'message')
      .flatMap(message => readPost(message) ?? [])
      .sort((a, b) => b.serverId - a.serverId)
  } catch (error) {
    throw refusalOf(error)
  }
}

function readPost(message: BinaryNode): ChannelPost | undefined {
  const serverId = wholeNumber(message.attrs.server_id)
  if (serverId === undefined) return undefined
  const plaintext = getBinaryNodeChild(message, 'plaintext')?.content
  const decoded = plaintext instanceof Uint8Array ? decodeMessage(plaintext) : undefined
  const content = normalizeMessageContent(decoded)
  const read = content && readContent(content)
  const count = (tag: string): number | null => countOf(getBinaryNodeChild(message, tag)?.attrs.count)
  return {
    serverId,
    messageId: message.attrs.id ?? null,
    type: !read || read.type === 'other' ? '' : read.type,
    text: read?.text ?? '',
    postedAtMs: inMs(message.attrs.t),
    views: count('views_count'),
    forwards: count('forwards_count'),
    reactions: getBinaryNodeChildren(getBinaryNodeChild(message, 'reactions'), 'reaction')
      .slice(0, BOUNDS.reactionsShown)
      .map(({ attrs }) => ({ emoji: attrs.code ?? '', count: wholeNumber(attrs.count) ?? 0 })),
  }
}

export async function channelStats(
  context: SessionContext,
  { channelJid }: Of<'channel_stats'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const { followers, role } = await readChannelNow(sock, channelQueries(channelJid))
  const [posts, admins] = await Promise.all([
    readPosts(sock, channelJid, null, COUNTED_POSTS),
    role === 'owner' || role === 'admin' ? countAdmins(sock, channelJid) : null,
  ])
  const sum = (of: (post: ChannelPost) => number): number => posts.reduce((total, post) => total + of(post), 0)
  const stats = {
    followers,
    admins,
    posts: posts.length,
    views: sum(({ views }) => views ?? 0),
    forwards: sum(({ forwards }) => forwards ?? 0),
    reactions: sum(({ reactions }) => reactions.reduce((total, { count }) => total + count, 0)),
    sinceMs: posts.at(-1)?.postedAtMs ?? null,
  }
  return { kind: 'channel_stats', stats }
}

async function countAdmins(sock: WASocket, channelJid: string): Promise<number | null> {
  const variables = { newsletter_id: channelJid }
  return wholeNumber((await ask(sock, [{ id: ADMIN_INFO, variables }], 'xwa2_newsletter_admin')).admin_count) ?? null
}

interface Follower {
  follow_time?: string
  role?: string
  node?: { id?: string; pn?: string | null; display_name?: string | null } | null
}

/** Only those who manage the channel may see them. The platform gives no pages. */
export async function listFollowers(
  context: SessionContext,
  { channelJid, limit }: Of<'channel_followers'>,
): Promise<CommandResult> {
  return { kind: 'channel_followers', followers: await readFollowers(context, channelJid, limit) }
}

export async function readFollowers(
  context: SessionContext,
  channelJid: string,
  limit: number,
): Promise<ChannelFollower[]> {
  const { sock } = openConnection(context)
  const variables = { input: { newsletter_id: channelJid, count: limit } }
  const answer = await ask(sock, [{ id: FOLLOWERS, variables }], 'xwa2_newsletter_followers')
  const { edges = [] } = (answer.followers ?? {}) as { edges?: Follower[] }
  const followers: ChannelFollower[] = []
  for (const { node: person, role, follow_time: since } of edges.slice(0, limit)) {
    if (person?.id === undefined) continue
    await context.lids.remember(person.id, person.pn ?? undefined, 'lookup')
    followers.push({
      jid: person.id,
      phone: (await context.lids.phoneOf(person.id)) ?? null,
      name: person.display_name || null,
      role: roleOf(role),
      followedAtMs: inMs(since),
    })
  }
  return followers
}

type Sock = Pick<Connection['sock'], 'query'>

/** The same as `askJson`, with refusals explained. */
export async function ask(sock: Sock, queries: readonly JsonQuery[], path: string): Promise<Record<string, unknown>> {
  try {
    return await askJson(sock, queries, path)
  } catch (error) {
    throw refusalOf(error)
  }
}

/** The meaning of an error of the platform about a channel. */
function refusalOf(error: unknown): PlatformError {
  const code = answerIn(error)
  if (code === 404 || code === 410) return notFound()
  if (code === 401 || code === 403) return refused('the number does not manage the channel', 'not_channel_admin')
  return isFinal(code) ? refused(`the platform refused the request (${code})`) : failureOfLibrary(error, 'the channel')
}

const notFound = (): PlatformError => refused('channel not found', 'not_found')
