import { proto } from 'baileys'
import { type Addressing, toDigits } from './jid.ts'
import { buildMessage, type Content } from './phone/content.ts'
import { textOfMessage } from './phone/message-text.ts'
import { Refused } from './refused.ts'
import {
  changeChannelState,
  changeFollowing,
  isWatching,
  type PostForm,
  postToChannel,
  postChannelStatus,
  saveChannel,
  inviteToManage,
} from './server/channel.ts'
import { inviteOf } from './server/channel-metadata.ts'
import { joinCommunity } from './server/community.ts'
import { announce, approvalNode, deleteGroup, saveGroup } from './server/group.ts'
import { changeMembers, leaveGroup } from './server/group-iq.ts'
import { changeGroupPicture } from './server/group-picture.ts'
import { joinGroup } from './server/group-invite.ts'
import { node } from './wire/node.ts'
import type { Channel } from './world/channel.ts'
import type { Group } from './world/group.ts'
import type { Network } from './world/network.ts'
import type { User } from './world/person.ts'

/** A group, as a test or the sandbox handles it. */
export class GroupHandle {
  readonly jid: string
  readonly #network: Network
  readonly #group: Group

  constructor(network: Network, group: Group | undefined) {
    if (!group) throw new Refused('there is no such group')
    this.jid = group.jid
    this.#network = network
    this.#group = group
  }

  get subject(): string {
    return this.#group.subject
  }

  /** Digits of the members. */
  members(): string[] {
    return [...this.#group.members.keys()]
  }

  /** The platform addresses the members in another way from now on, without an announcement. */
  readdress(addressing: Addressing): void {
    this.#group.addressing = addressing
    saveGroup(this.#network, this.#group)
  }

  /** The owner deletes the group; the server notifies linked members. */
  delete(): void {
    deleteGroup(this.#network, this.#group)
  }

  /** The owner changes who is in the group; the server notifies linked members. */
  change(action: 'add' | 'remove' | 'promote' | 'demote', digits: readonly string[]): void {
    changeMembers(this.#network, this.#group.owner, this.#group, action, digits.map(toDigits))
  }

  /** A person follows the invite link: joins, or waits for an admin where that is needed. */
  join(number: string): void {
    joinGroup(this.#network, toDigits(number), this.#group)
  }

  leave(number: string): void {
    leaveGroup(this.#network, toDigits(number), this.jid)
  }

  /** The owner lets only admins change subject, description and picture, or everyone. */
  lock(locked: boolean): void {
    this.#group.locked = locked
    saveGroup(this.#network, this.#group)
    announce(this.#network, this.#group, this.#group.owner, node(locked ? 'locked' : 'unlocked'))
  }

  /** The owner makes people who follow the invite link wait for an admin, or lets them in. */
  approve(approval: boolean): void {
    this.#group.approval = approval
    saveGroup(this.#network, this.#group)
    announce(this.#network, this.#group, this.#group.owner, approvalNode(approval))
  }

  /** The owner sets a picture, or removes it. */
  changePicture(file: Uint8Array | undefined): void {
    changeGroupPicture(this.#network, this.#group, this.#group.owner, file)
  }

  /** The file of the picture, if there is one. */
  picture(): Uint8Array | undefined {
    const { picture } = this.#group
    return picture && this.#network.media.get(picture.path)
  }

  /** What a member's phone shows of the group. */
  info(): Pick<Group, 'subject' | 'description' | 'announcement' | 'locked' | 'ephemeralSeconds' | 'inviteCode'> {
    const { subject, description, announcement, locked, ephemeralSeconds, inviteCode } = this.#group
    return { subject, description, announcement, locked, ephemeralSeconds, ...(inviteCode && { inviteCode }) }
  }

  /** The community of the group, and whether it is one. */
  community(): { readonly parent: string | undefined; readonly isCommunity: boolean } {
    return { parent: this.#group.parent, isCommunity: this.#group.isCommunity ?? false }
  }

  /** The owner links a group to this community; everyone in the group joins the community. */
  link(jid: string): void {
    const group = this.#network.groups.get(jid)
    if (!group) throw new Refused('there is no such group')
    joinCommunity(this.#network, this.#group.owner, this.#group, group)
  }

  /** Digits of people who wait for an admin. */
  requests(): string[] {
    return [...(this.#group.requests?.keys() ?? [])]
  }
}

export interface PostView {
  readonly id: string
  readonly serverId: number
  /** Digits of the author. */
  readonly author: string
  readonly text: string
  readonly message: proto.IMessage
  /** Emoji by digits. */
  readonly reactions: ReadonlyMap<string, string>
}

/** A channel, as a test or the sandbox handles it. */
export class ChannelHandle {
  readonly jid: string
  readonly name: string
  /** Digits of the number that owns it. */
  readonly owner: string
  readonly #network: Network
  readonly #channel: Channel

  constructor(network: Network, channel: Channel | undefined) {
    if (!channel) throw new Refused('there is no such channel')
    this.jid = channel.jid
    this.name = channel.name
    this.owner = channel.owner
    this.#network = network
    this.#channel = channel
  }

  /** Digits of the followers. */
  followers(): string[] {
    return [...this.#channel.followers]
  }

  posts(): PostView[] {
    return [...this.#channel.posts.values()].map(({ id, serverId, author, reactions, content }) => {
      const message = proto.Message.decode(content)
      return { id, serverId, author, reactions, message, text: textOfMessage(message) }
    })
  }

  /** The owner posts from a phone. `form` is how the post reaches the followers. */
  async post(
    content: Content,
    form: PostForm = 'message',
  ): Promise<{ readonly id: string; readonly serverId: number }> {
    const message = buildMessage(this.#network, content, {})
    const { id, serverId } = postToChannel(this.#network, this.#channel, this.owner, message, form)
    await this.#network.journal.saved()
    return { id, serverId }
  }

  /** The owner posts a status of the channel, which has a separate stanza tag. */
  async postStatus(content: Content): Promise<{ readonly id: string }> {
    const id = postChannelStatus(this.#network, this.#channel, buildMessage(this.#network, content, {}))
    await this.#network.journal.saved()
    return { id }
  }

  /** What followers see of it. */
  info(): Pick<Channel, 'name' | 'description' | 'reactionMode' | 'state'> & { invite: string } {
    const { name, description, reactionMode = 'ALL', state = 'ACTIVE' } = this.#channel
    return { name, description, reactionMode, state, invite: inviteOf(this.#channel) }
  }

  /** The file of the picture, if there is one. */
  picture(): Uint8Array | undefined {
    const { picture } = this.#channel
    return picture && this.#network.media.get(picture.path)
  }

  /** Digits of the numbers that have muted it. */
  muted(): string[] {
    return [...(this.#channel.muted ?? [])]
  }

  /** Digits of those who manage it besides the owner. */
  admins(): string[] {
    return [...(this.#channel.admins ?? [])]
  }

  /** Digits of people who are invited to manage it. */
  invited(): string[] {
    return [...(this.#channel.invited?.keys() ?? [])]
  }

  /** The owner invites a number to manage it; returns the message that the owner's phone sends to the number. */
  invite(number: string): Content {
    const { jid: newsletterJid, name: newsletterName } = this.#channel
    const inviteExpiration = inviteToManage(this.#network, this.#channel, toDigits(number))
    const newsletterAdminInviteMessage = { newsletterJid, newsletterName, inviteExpiration }
    return { type: 'raw', message: { newsletterAdminInviteMessage } }
  }

  /** People look at a post, and some react. */
  see(serverId: number, views: number, reactions: Readonly<Record<string, string>> = {}): void {
    const post = this.#channel.posts.get(serverId)
    if (!post) throw new Refused('there is no such post')
    post.views = views
    for (const [digits, emoji] of Object.entries(reactions)) post.reactions.set(toDigits(digits), emoji)
    saveChannel(this.#network, this.#channel)
  }

  /** The platform suspends the channel, or no longer. */
  suspend(isSuspended: boolean): void {
    changeChannelState(this.#network, this.#channel, isSuspended ? 'SUSPENDED' : 'ACTIVE')
  }

  follow(number: string): void {
    changeFollowing(this.#network, this.#channel, toDigits(number), true)
  }

  unfollow(number: string): void {
    changeFollowing(this.#network, this.#channel, toDigits(number), false)
  }

  /** Digits of the numbers with a device that receives live updates now. */
  watchers(): string[] {
    const isWatched = ({ devices }: User): boolean =>
      [...devices.values()].some(device => isWatching(this.#network, device, this.#channel))
    return [...this.#network.users.values()].filter(isWatched).map(({ digits }) => digits)
  }
}
