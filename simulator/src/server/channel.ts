import { randomInt } from 'node:crypto'
import { proto } from 'baileys'
import { nowMs, nowText, unixSeconds } from '../clock.ts'
import { createMessageId } from '../phone/message-id.ts'
import { stanzaTypeOf } from '../phone/message-text.ts'
import { type BinaryNode, bytesOf, child, node } from '../wire/node.ts'
import type { Channel, ChannelState, Post } from '../world/channel.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { channelMetadata } from './channel-metadata.ts'
import { POST_EDIT, POST_REVOKE, postById } from './channel-rules.ts'
import { channelMessage, type ChannelPost, channelUpdate, update } from './message-stanzas.ts'
import { push } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

const MAX_POSTS = 500

export interface ChannelOptions {
  readonly name: string
  /** Digits of the number that manages it. */
  readonly owner: string
  /** Digits of numbers that follow it. */
  readonly followers?: readonly string[]
  /** Digits of numbers that manage it besides the owner. */
  readonly admins?: readonly string[]
  readonly description?: string
  readonly jid?: string
}

export function createChannel(network: Network, options: ChannelOptions): Channel {
  const channel: Channel = {
    jid: options.jid ?? `1203630${randomInt(10 ** 10, 10 ** 11)}@newsletter`,
    name: options.name,
    description: options.description ?? '',
    created: unixSeconds(network),
    owner: options.owner,
    admins: new Set(options.admins),
    invited: new Map(),
    followers: new Set(options.followers),
    muted: new Set(),
    posts: new Map(),
    lastServerId: 100,
  }
  network.channels.set(channel.jid, channel)
  saveChannel(network, channel)
  for (const digits of channel.followers) announceFollowing(network, channel, digits)
  return channel
}

export function saveChannel(network: Network, channel: Channel): void {
  network.journal.put(`channel/${channel.jid}`, () => channel)
}

/** Notifies all devices of a person that they follow a channel now, or no longer. */
function announceFollowing(network: Network, channel: Channel, digits: string): void {
  const metadata = channelMetadata(channel, digits)
  const [operation, data] = channel.followers.has(digits)
    ? ['NotificationNewsletterJoin', { xwa2_notify_newsletter_on_join: metadata }]
    : ['NotificationNewsletterLeave', { xwa2_notify_newsletter_on_leave: { id: channel.jid } }]
  for (const device of network.users.get(digits)?.devices.values() ?? []) {
    push(network, device, update(stanzaId(network), nowText(network), operation, data))
  }
}

/** Notifies all devices of everyone who follows or manages the channel. */
export function announceChannel(
  network: Network,
  channel: Channel,
  operation: string,
  data: (digits: string) => Record<string, unknown>,
): void {
  for (const digits of new Set([...channel.followers, ...(channel.admins ?? []), channel.owner])) {
    for (const device of network.users.get(digits)?.devices.values() ?? [])
      push(network, device, update(stanzaId(network), nowText(network), operation, data(digits)))
  }
}

/** The platform or the owner changes whether the channel can be seen. */
export function changeChannelState(network: Network, channel: Channel, state: ChannelState): void {
  channel.state = state
  saveChannel(network, channel)
  announceChannel(network, channel, 'NotificationNewsletterStateChange', digits => ({
    xwa2_notify_newsletter_on_state_change: {
      id: channel.jid,
      is_requestor: digits === channel.owner,
      state: { type: state },
    },
  }))
}

export const deleteChannel = (network: Network, channel: Channel): void =>
  changeChannelState(network, channel, 'DELETED')

export function changeFollowing(network: Network, channel: Channel, digits: string, follows: boolean): void {
  if (channel.followers.has(digits) === follows) return
  if (follows) channel.followers.add(digits)
  else channel.followers.delete(digits)
  saveChannel(network, channel)
  announceFollowing(network, channel, digits)
}

function addPost(network: Network, channel: Channel, author: string, id: string, content: Uint8Array): Post {
  channel.lastServerId += 1
  const { type } = stanzaTypeOf(proto.Message.decode(content))
  const base = { id, serverId: channel.lastServerId, timestamp: unixSeconds(network) }
  const post: Post = { ...base, type, content, author, reactions: new Map() }
  channel.posts.set(post.serverId, post)
  if (channel.posts.size > MAX_POSTS) channel.posts.delete(channel.posts.keys().next().value!)
  saveChannel(network, channel)
  return post
}

function wirePost(channel: Channel, post: Post): ChannelPost {
  const { id, serverId, type, content } = post
  return { channel: channel.jid, id, serverId, t: String(post.timestamp), type, plaintext: content }
}

/** Whether the device requested live updates on this link and they have not expired. */
export function isWatching(network: Network, device: LinkedDevice, channel: Channel): boolean {
  return device.connection !== undefined && (device.liveUpdates.get(channel.jid) ?? 0) > nowMs(network)
}

/** How a post reaches followers: as a message to all, as a live update to those who watch. */
export type PostForm = 'message' | 'live_updates' | 'both'

function notifyFollowers(network: Network, channel: Channel, post: Post, form: PostForm, except?: LinkedDevice): void {
  for (const device of followingDevices(network, channel)) {
    if (device === except) continue
    if (form !== 'live_updates') push(network, device, channelMessage(wirePost(channel, post)))
    if (form !== 'message' && isWatching(network, device, channel))
      push(network, device, channelUpdate(stanzaId(network), wirePost(channel, post)))
  }
}

/** The devices of everyone who follows or manages the channel. */
const followingDevices = (network: Network, { followers, admins = new Set(), owner }: Channel): LinkedDevice[] =>
  [...new Set([...followers, ...admins, owner])].flatMap(digits => [
    ...(network.users.get(digits)?.devices.values() ?? []),
  ])

/** Sends a status of the channel. It is not a post: followers cannot request it later. Returns its id. */
export function postChannelStatus(network: Network, channel: Channel, message: proto.IMessage): string {
  const id = createMessageId()
  const plaintext = node('plaintext', {}, proto.Message.encode(message).finish())
  const { type } = stanzaTypeOf(message)
  for (const digits of channel.followers) {
    for (const device of network.users.get(digits)?.devices.values() ?? [])
      push(network, device, node('status', { from: channel.jid, id, t: nowText(network), type }, [plaintext]))
  }
  return id
}

/** The channel's owner posts from a phone. */
export function postToChannel(
  network: Network,
  channel: Channel,
  author: string,
  message: proto.IMessage,
  form: PostForm,
): Post {
  const post = addPost(network, channel, author, createMessageId(), proto.Message.encode(message).finish())
  notifyFollowers(network, channel, post, form)
  return post
}

/** A device posts to a channel, changes a post or reacts to it. Returns the server id of the post. */
export function receiveChannelPost(network: Network, device: LinkedDevice, stanza: BinaryNode): number | undefined {
  const channel = network.channels.get(stanza.attrs.to ?? '')
  if (!channel) return undefined
  const reaction = child(stanza, 'reaction')
  if (reaction) {
    react(network, channel, Number(stanza.attrs.server_id), device.digits, reaction.attrs.code)
    return undefined
  }
  const { id = '', edit } = stanza.attrs
  const content = bytesOf(child(stanza, 'plaintext'))
  const known = postById(channel, id)
  if (known) {
    if (edit !== undefined) changePost(network, channel, { ...known, content }, edit, device)
    return known.serverId
  }
  const post = addPost(network, channel, device.digits, id, content)
  notifyFollowers(network, channel, post, 'message', device)
  return post.serverId
}

/** Replaces a post or removes it, and sends the change to the followers. */
function changePost(network: Network, channel: Channel, post: Post, edit: string, except: LinkedDevice): void {
  if (edit === POST_EDIT) channel.posts.set(post.serverId, post)
  if (edit === POST_REVOKE) channel.posts.delete(post.serverId)
  saveChannel(network, channel)
  for (const device of followingDevices(network, channel))
    if (device !== except) push(network, device, channelMessage(wirePost(channel, post), edit))
  network.changed()
}

export function react(
  network: Network,
  channel: Channel,
  serverId: number,
  digits: string,
  emoji: string | undefined,
): void {
  const post = channel.posts.get(serverId)
  if (!post) return
  if (emoji) post.reactions.set(digits, emoji)
  else post.reactions.delete(digits)
  saveChannel(network, channel)
  network.changed()
}

/** Posts after a server id, for a device that has been offline. */
export const postsAfter = (channel: Channel, after: number, count: number): BinaryNode[] =>
  [...channel.posts.values()]
    .filter(post => post.serverId > after)
    .slice(-count)
    .map(post => withoutChannel(channel, post))

/** The newest posts before a server id, with the counts of what people did with them. */
export const postsBefore = (channel: Channel, before: number, count: number): BinaryNode[] =>
  [...channel.posts.values()]
    .filter(post => post.serverId < before)
    .slice(-count)
    .map(post => {
      const { content, ...rest } = withoutChannel(channel, post)
      const counts = new Map<string, number>()
      for (const code of post.reactions.values()) counts.set(code, (counts.get(code) ?? 0) + 1)
      const reactions = [...counts].map(([code, many]) => node('reaction', { code, count: String(many) }))
      return {
        ...rest,
        content: [
          ...(content as BinaryNode[]),
          ...(reactions.length === 0 ? [] : [node('reactions', {}, reactions)]),
          node('views_count', { type: 'views', count: String(post.views ?? 0) }),
          node('forwards_count', { count: '0' }),
        ],
      }
    })

function withoutChannel(channel: Channel, post: Post): BinaryNode {
  const { attrs, ...rest } = channelMessage(wirePost(channel, post))
  const { from: _channel, ...others } = attrs
  return { ...rest, attrs: others }
}

const INVITED_SECONDS = 7 * 86_400

/** The owner invites a person to manage the channel. Returns until when, in Unix seconds; invited again, there is more time. */
export function inviteToManage(network: Network, channel: Channel, digits: string): number {
  const until = unixSeconds(network) + INVITED_SECONDS
  channel.invited ??= new Map()
  channel.invited.set(digits, until)
  saveChannel(network, channel)
  return until
}
