/** `invited`: the person has not accepted yet. */
export const CHANNEL_ADMIN_ROLES = ['owner', 'admin', 'invited'] as const

/** A person who manages a channel, or is invited to manage it. */
export interface ChannelAdmin {
  jid: string
  phone: string | null
  name: string | null
  role: (typeof CHANNEL_ADMIN_ROLES)[number]
}

export const CHANNEL_ROLES = ['owner', 'admin', 'follower', 'guest'] as const
export type ChannelRole = (typeof CHANNEL_ROLES)[number]

/** Which reactions followers may leave: any, a few of the platform's choice, or none. */
export const REACTION_MODES = ['all', 'basic', 'none'] as const
export type ReactionMode = (typeof REACTION_MODES)[number]

export const CHANNEL_STATES = ['active', 'suspended', 'geosuspended', 'deleted'] as const
export type ChannelState = (typeof CHANNEL_STATES)[number]

/** A channel, as the platform shows it to one number; `null` where it does not say. */
export interface Channel {
  jid: string
  name: string
  description: string
  inviteCode: string | null
  role: ChannelRole | null
  /** Not in the list of channels. */
  followers: number | null
  isMuted: boolean | null
  isVerified: boolean
  state: ChannelState | null
  reactions: ReactionMode | null
  pictureId: string | null
  createdAtMs: number | null
}

export interface ChannelChange {
  name?: string
  description?: string
  reactions?: ReactionMode
}

export interface ChannelPost {
  serverId: number
  messageId: string | null
  type: string
  text: string
  postedAtMs: number | null
  views: number | null
  forwards: number | null
  reactions: Array<{ emoji: string; count: number }>
}

/** A person who follows or manages a channel. */
export interface ChannelFollower {
  jid: string
  phone: string | null
  name: string | null
  role: ChannelRole | null
  followedAtMs: number | null
}

export interface ChannelStats {
  followers: number | null
  /** `null` if the number does not manage the channel. */
  admins: number | null
  posts: number
  views: number
  forwards: number
  reactions: number
  /** When the oldest of these posts was made. */
  sinceMs: number | null
}

const INVITE = /^(?:https:\/\/(?:www\.)?whatsapp\.com\/channel\/)?([A-Za-z0-9_-]{10,40})(?:[/?#].*)?$/

/** The code of a channel's link, given as the link or the code alone; `undefined` if it is neither. */
export const channelCodeOf = (invite: string): string | undefined => INVITE.exec(invite.trim())?.[1]

export const channelUrl = (code: string): string => `https://whatsapp.com/channel/${code}`
