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
}

export interface Channel {
  readonly jid: string
  name: string
  description: string
  readonly created: number
  readonly owner: string
  readonly followers: Set<string>
  readonly posts: Map<number, Post>
  lastServerId: number
}
