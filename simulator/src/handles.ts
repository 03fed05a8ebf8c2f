import { proto } from 'baileys'
import { toDigits } from './jid.ts'
import type { Network } from './network.ts'
import type { Content } from './phone/content.ts'
import { buildMessage } from './phone/content.ts'
import { textOfMessage } from './phone/message-text.ts'
import { Refused } from './refused.ts'
import { changeFollowing } from './server/channel-follow.ts'
import type { Channel, PostForm } from './server/channel.ts'
import { isWatching, postToChannel } from './server/channel.ts'
import { changeMembers } from './server/group-iq.ts'
import type { Group } from './server/group.ts'

export interface GroupHandle {
  readonly jid: string
  readonly subject: string
  /** Digits of the members. */
  members(): string[]
  /** The owner changes who is in the group; linked members are told. */
  change(action: 'add' | 'remove' | 'promote' | 'demote', digits: readonly string[]): void
}

export function groupHandle(network: Network, group: Group | undefined): GroupHandle {
  if (!group) throw new Refused('there is no such group')
  return {
    jid: group.jid,
    get subject() {
      return group.subject
    },
    members: () => [...group.members.keys()],
    change: (action, digits) => {
      changeMembers(network, group.owner, group, action, digits.map(toDigits))
    },
  }
}

export interface PostView {
  readonly id: string
  readonly serverId: number
  /** Digits of who wrote it. */
  readonly author: string
  readonly text: string
  readonly message: proto.IMessage
  /** Emoji by digits. */
  readonly reactions: ReadonlyMap<string, string>
}

export interface ChannelHandle {
  readonly jid: string
  readonly name: string
  /** Digits of the number that manages it. */
  readonly owner: string
  /** Digits of those who follow it. */
  followers(): string[]
  posts(): PostView[]
  /** The owner posts from a phone. `form` tells how it reaches the followers. */
  post(content: Content, form?: PostForm): Promise<{ readonly id: string; readonly serverId: number }>
  follow(number: string): void
  unfollow(number: string): void
  /** Digits of those with a device that is sent live updates now. */
  watchers(): string[]
}

export function channelHandle(network: Network, channel: Channel | undefined): ChannelHandle {
  if (!channel) throw new Refused('there is no such channel')
  return {
    jid: channel.jid,
    name: channel.name,
    owner: channel.owner,
    followers: () => [...channel.followers],
    posts: () =>
      [...channel.posts.values()].map(post => {
        const message = proto.Message.decode(post.content)
        const { id, serverId, author, reactions } = post
        return { id, serverId, author, reactions, message, text: textOfMessage(message) }
      }),
    post: async (content, form = 'message') => {
      const message = buildMessage(network.media, content, {})
      const { id, serverId } = postToChannel(network, channel, channel.owner, message, form)
      await network.journal.settled()
      return { id, serverId }
    },
    follow: number => changeFollowing(network, channel, toDigits(number), true),
    unfollow: number => changeFollowing(network, channel, toDigits(number), false),
    watchers: () =>
      [...network.users.values()]
        .filter(({ devices }) => [...devices.values()].some(device => isWatching(device, channel)))
        .map(({ digits }) => digits),
  }
}
