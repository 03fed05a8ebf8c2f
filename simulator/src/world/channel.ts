/** A post of a channel. Channels are not encrypted end to end. */
export interface Post {
  readonly id: string
  readonly serverId: number
  readonly timestamp: number
  readonly type: string
  readonly content: Uint8Array
  /** Digits of the author. */
  readonly author: string
  /** Emoji by the digits of the person. */
  readonly reactions: Map<string, string>
  views?: number
}

export type ChannelState = 'ACTIVE' | 'SUSPENDED' | 'GEOSUSPENDED' | 'DELETED'
export type ReactionMode = 'ALL' | 'BASIC' | 'NONE'

export interface Channel {
  readonly jid: string
  name: string
  description: string
  readonly created: number
  owner: string
  /** Digits of those who manage it besides the owner. */
  readonly admins?: Set<string>
  /** People who are invited to manage it, by digits, and until when in Unix seconds. */
  invited?: Map<string, number>
  readonly followers: Set<string>
  /** Digits of people who have muted it. */
  readonly muted?: Set<string>
  readonly posts: Map<number, Post>
  lastServerId: number
  state?: ChannelState
  reactionMode?: ReactionMode
  picture?: { readonly id: string; readonly path: string } | undefined
}
