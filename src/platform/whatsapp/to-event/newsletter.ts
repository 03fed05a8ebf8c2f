import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  normalizeMessageContent,
  type proto,
} from 'baileys'
import type { NewsletterMessageEvent } from '../../../domain/event.ts'
import type { Interpretation } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import { decodeMessage } from '../received/newer-content.ts'
import { isManaged, readChannel } from '../remembered/channel-queries.ts'
import type { SessionContext } from '../session-context.ts'
import { secondsOr, unixSeconds, wholeNumber } from '../wire/numbers.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { readContent } from './content.ts'

/** How long the posts of a channel wait for the query who manages it. */
const ANSWER_MS = 4_000

interface Post {
  channel: string
  serverId: number | undefined
  messageId: string
  timestamp: number
  message: proto.IMessage | undefined
}

/** A post that came as a separate message. */
export function interpretPost(context: SessionContext, stored: StoredMessage): Promise<Interpretation> {
  const { key, timestamp, message } = stored
  const post = { channel: key.remoteJid, serverId: wholeNumber(key.serverId), messageId: key.id, timestamp, message }
  return interpretPosts(context, [post])
}

/** Posts that came as an update of a channel; counts of reactions and views on older ones come the same way. */
export function interpretNotification(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  const channel = stanza.attrs.from ?? ''
  const live = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'live_updates'), 'messages')
  const nodes = [stanza, ...live].flatMap(node => getBinaryNodeChildren(node, 'message'))
  return interpretPosts(
    context,
    nodes.filter(isNewPost).map(node => readPost(channel, node, secondsOr(stanza.attrs.t, receivedAtMs))),
  )
}

const isNewPost = (node: BinaryNode): boolean =>
  getAllBinaryNodeChildren(node).every(({ tag }) => tag === 'plaintext' || tag === 'meta')

function readPost(channel: string, node: BinaryNode, notifiedAt: number): Post {
  const plaintext = getBinaryNodeChild(node, 'plaintext')?.content
  return {
    channel,
    serverId: wholeNumber(node.attrs.server_id),
    messageId: node.attrs.id ?? node.attrs.message_id ?? '',
    timestamp: unixSeconds(node.attrs.t) ?? notifiedAt,
    message: plaintext instanceof Uint8Array ? decodeMessage(plaintext) : undefined,
  }
}

async function interpretPosts(context: SessionContext, posts: readonly Post[]): Promise<Interpretation> {
  const [first] = posts
  if (!first) return { kind: 'none', reason: 'channel_update' }
  if (await managesChannel(context, first.channel)) return { kind: 'none', reason: 'channel_managed' }
  context.channels.addFollowed(first.channel)
  const events: NewsletterMessageEvent[] = []
  for (const post of posts) {
    const { serverId, messageId } = post
    if (serverId === undefined || messageId === '') continue
    if (!(await context.storage.readSeen(messageId, [post.channel]))) events.push(eventOf(context, post, serverId))
  }
  if (events.length === 0) return { kind: 'none', reason: 'channel_post_known' }
  const { channel } = first
  const seen = { chatJid: channel, senderJid: channel, fromMe: false }
  return { kind: 'events', events, remember: events.map(({ message_id: messageId }) => ({ messageId, ...seen })) }
}

function eventOf(context: SessionContext, post: Post, serverId: number): NewsletterMessageEvent {
  const content = normalizeMessageContent(post.message)
  const read = content && readContent(content)
  return {
    kind: 'newsletter_message',
    session_id: context.sessionId,
    newsletter_jid: post.channel,
    server_id: serverId,
    message_id: post.messageId,
    type: !read || read.type === 'other' ? '' : read.type,
    text: read?.text ?? '',
    timestamp_unix: post.timestamp,
  }
}

/**
 * Only posts of channels that other people manage become events. If the platform does not answer, the channel counts as
 * such.
 */
async function managesChannel(context: SessionContext, channel: string): Promise<boolean> {
  const known = context.managedChannels.get(channel) ?? context.unansweredChannels.get(channel)
  if (known !== undefined) return known
  const managed = await queryManaged(context, channel)
  if (managed !== undefined) context.managedChannels.set(channel, managed)
  else if (context.link.current()) context.unansweredChannels.set(channel, false)
  return managed ?? false
}

async function queryManaged({ link, clock }: SessionContext, channel: string): Promise<boolean | undefined> {
  const connection = link.current()
  if (!connection) return undefined
  const answered = readChannel(connection.sock, channel).then(info => info && isManaged(info))
  return await resolveWithin(clock, ANSWER_MS, answered)
}
