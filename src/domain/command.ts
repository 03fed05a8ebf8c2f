import type { CallMedia } from './call.ts'
import type { OrderDetails, Product, ProductCollection } from './catalogue.ts'
import type { Channel, ChannelChange, ChannelAdmin, ChannelFollower, ChannelPost, ChannelStats } from './channel.ts'
import type { WantedChat } from './chat.ts'
import type {
  BlockedContact,
  CheckBudgetLeft,
  CheckedNumber,
  Contact,
  OwnProfile,
  Picture,
  PictureSize,
} from './contact.ts'
import type {
  Group,
  GroupChange,
  GroupSummary,
  JoinRequest,
  LinkedGroup,
  MemberAction,
  MemberOutcome,
} from './group.ts'
import type { Outgoing } from './message.ts'
import type { ProxyTest } from './proxy.ts'
import type { PrivacyName, PrivacySettings } from './privacy.ts'

export interface SendCommand {
  kind: 'send'
  messageId: string
  platformId: string
  to: string
  outgoing: Outgoing
}

/** A change to a message that was sent, or will be. */
export type FollowUpCommand =
  | { kind: 'edit'; messageId: string; platformId: string; targetPlatformId: string; to: string; text: string }
  | { kind: 'revoke'; messageId: string; platformId: string; targetPlatformId: string; to: string }

/** What an API request asks a number's worker to do; the API waits for the response. */
export type SessionRequest =
  | { kind: 'typing'; chatJid: string; typing: boolean; media: 'text' | 'audio' }
  | { kind: 'read'; chatJid: string; messageIds: string[] }
  /** `unlessMade`: only if the device does not subscribe to the contact yet. */
  | { kind: 'presence_subscribe'; contactJid: string; unlessMade?: true }
  | { kind: 'newsletter_react'; newsletterJid: string; serverId: number; messageId: string; emoji: string }
  | ContactRequest
  | ChatRequest
  | HistoryRequest
  | PrivacyRequest
  | ProfileRequest
  | CallRequest
  | CatalogueRequest
  /** Fetches a received file that the gateway does not have yet. */
  | { kind: 'file_fetch'; mediaId: string }
  | GroupRequest
  | ChannelRequest
  /** Reaches the platform through the number's proxy, whether or not the number is connected. */
  | { kind: 'proxy_test' }
  | { kind: 'restart' }
  | { kind: 'unlink' }

export type ContactRequest =
  | { kind: 'contact_check'; phones: string[] }
  | { kind: 'contact_show'; jid: string }
  | { kind: 'contact_picture'; jid: string; size: PictureSize }
  /** The blocked people after this one, in the order of their JIDs. */
  | { kind: 'block_list'; after: string | null; limit: number }
  | { kind: 'block_change'; jid: string; isBlocked: boolean }

/** `platformId`: the phone names it in its answer. `beforeMs`: when that message was written, if the client knows it. */
export interface HistoryRequest {
  kind: 'history_request'
  platformId: string
  chatJid: string
  beforeMessageId: string
  beforeMs: number | null
  count: number
}

/** `labels`: those that the chat has now. */
export type ChatRequest =
  | { kind: 'chat_change'; jid: string; change: WantedChat; labels: string[] }
  /** `participant`: the author, in a group whose message the number has not seen. */
  | { kind: 'message_star'; jid: string; messageId: string; participant: string | null; isStarred: boolean }

export type PrivacyRequest =
  | { kind: 'privacy_show' }
  | { kind: 'privacy_change'; change: Partial<Record<PrivacyName, string>> }

export type ProfileRequest =
  | { kind: 'profile_show' }
  | { kind: 'profile_change'; name?: string; about?: string }
  /** `null` removes the picture. */
  | { kind: 'profile_picture'; url: string | null }

export type CallRequest = { kind: 'call_reject'; callId: string } | { kind: 'call_link'; media: CallMedia }

/** `jid`: the business; `null`: the number itself. */
export type CatalogueRequest =
  | { kind: 'catalog_list'; jid: string | null; after: string | null; limit: number }
  | { kind: 'catalog_collections'; jid: string | null }
  | { kind: 'order_show'; orderId: string; token: string }

export type GroupRequest =
  /** The groups after this one, in the order of their JIDs. */
  | { kind: 'group_list'; after: string | null; limit: number; onlyCommunities?: true }
  | { kind: 'group_show'; groupJid: string }
  /** `key`: the retry of an unanswered request with the same key finds the group that it made. */
  /** A request of an older process has no `communityJid`. */
  | { kind: 'group_create'; key: string | null; subject: string; people: string[]; communityJid?: string | null }
  | { kind: 'community_create'; key: string | null; subject: string; description: string }
  /** Its groups after this one, in the order of their JIDs. */
  | { kind: 'community_groups'; communityJid: string; after: string | null; limit: number }
  | { kind: 'community_link'; communityJid: string; groupJid: string; isLinked: boolean }
  | { kind: 'community_leave'; communityJid: string }
  | { kind: 'group_change'; groupJid: string; change: GroupChange }
  | { kind: 'group_leave'; groupJid: string }
  | { kind: 'group_members'; groupJid: string; action: MemberAction; people: string[] }
  | { kind: 'group_invite'; groupJid: string; renew: boolean }
  | { kind: 'group_preview'; code: string }
  | { kind: 'group_join'; code: string }
  | { kind: 'group_requests'; groupJid: string; after: string | null; limit: number }
  | { kind: 'group_admit'; groupJid: string; action: 'approve' | 'reject'; people: string[] }
  | { kind: 'group_picture'; groupJid: string; size: PictureSize }
  /** `null` removes the picture. */
  | { kind: 'group_picture_change'; groupJid: string; mediaUrl: string | null }

export type ChannelRequest =
  /** The channels after this one, in the order of their JIDs. */
  | { kind: 'channel_list'; after: string | null; limit: number }
  | { kind: 'channel_show'; channelJid: string }
  | { kind: 'channel_preview'; code: string }
  /** `key`: the retry of an unanswered request with the same key finds the channel that it made. */
  | { kind: 'channel_create'; key: string | null; name: string; description: string }
  | { kind: 'channel_change'; channelJid: string; change: ChannelChange }
  /** `null` removes the picture. */
  | { kind: 'channel_picture_change'; channelJid: string; mediaUrl: string | null }
  | { kind: 'channel_delete'; channelJid: string }
  | { kind: 'channel_follow'; channelJid: string; follows: boolean }
  | { kind: 'channel_mute'; channelJid: string; isMuted: boolean }
  /** The posts before this one, newest first. */
  | { kind: 'channel_posts'; channelJid: string; before: number | null; limit: number }
  | { kind: 'channel_stats'; channelJid: string }
  | { kind: 'channel_followers'; channelJid: string; limit: number }
  | { kind: 'channel_demote'; channelJid: string; person: string }
  | { kind: 'channel_admins'; channelJid: string }
  | { kind: 'channel_invite'; channelJid: string; person: string; caption: string }
  | { kind: 'channel_uninvite'; channelJid: string; person: string }
  | { kind: 'channel_accept'; channelJid: string }

/** The work of a worker for a session. The queued value is the executed value. */
export type Command = SendCommand | FollowUpCommand | SessionRequest

export type CommandKind = Command['kind']

/** Commands for the platform's session itself; the host handles those for the link. */
export type SessionCommand = Exclude<Command, { kind: 'restart' | 'unlink' }>

/** How the fetch of a received file ended. `unreachable`: the platform's servers do not send it now. */
export type FetchOutcome = 'kept' | 'full' | 'gone' | 'unreachable'

/** The result of a command; `serverId` only for a channel that the number manages. */
export type CommandResult =
  | { kind: 'sent'; atMs: number; serverId: number | null }
  | { kind: 'done' }
  | { kind: 'checked'; numbers: CheckedNumber[]; budget: CheckBudgetLeft }
  | { kind: 'contact'; contact: Contact }
  | { kind: 'picture'; picture: Picture }
  /** `null`: the picture was removed. */
  | { kind: 'picture_changed'; id: string | null }
  /** The JID of a chat in the list. */
  | { kind: 'chat'; jid: string }
  | { kind: 'blocks'; people: BlockedContact[]; after: string | null }
  | { kind: 'privacy'; settings: PrivacySettings }
  | { kind: 'profile'; profile: OwnProfile }
  | { kind: 'profile_picture'; id: string | null }
  | { kind: 'call_link'; token: string; url: string }
  | { kind: 'products'; products: Product[]; after: string | null }
  | { kind: 'collections'; collections: ProductCollection[] }
  | { kind: 'order'; order: OrderDetails }
  /** `null`: the number has no proxy. */
  | { kind: 'proxy_tested'; test: ProxyTest | null }
  | { kind: 'file'; outcome: FetchOutcome | 'running' }
  | { kind: 'groups'; groups: GroupSummary[]; after: string | null }
  | { kind: 'group'; group: Group; outcomes?: MemberOutcome[] }
  | { kind: 'group_summary'; group: GroupSummary }
  | { kind: 'community'; community: Group; announcementsJid: string | null }
  | { kind: 'linked_groups'; groups: LinkedGroup[]; after: string | null }
  | { kind: 'channels'; channels: Channel[]; after: string | null }
  | { kind: 'channel'; channel: Channel }
  | { kind: 'channel_posts'; posts: ChannelPost[]; before: number | null }
  | { kind: 'channel_stats'; stats: ChannelStats }
  | { kind: 'channel_followers'; followers: ChannelFollower[] }
  | { kind: 'channel_admins'; admins: ChannelAdmin[] }
  | { kind: 'channel_invited'; expiresAtMs: number | null }
  | { kind: 'members'; outcomes: MemberOutcome[] }
  | { kind: 'invite'; code: string }
  | { kind: 'joined'; groupJid: string; isPending: boolean }
  | { kind: 'join_requests'; requests: JoinRequest[]; after: string | null }

interface Queued {
  id: string
  sessionId: string
  /** Commands of one queue run in order. */
  queue: string
  attempt: number
  dueAt: number
  /** 1 for high priority, else null. */
  priority: number | null
}

/** A command to send a message. */
export interface DueSend extends Queued {
  kind: 'send'
  messageId: string
  accountId: string
  requestId: string
  recipient: string
  platformId: string
  /** The sealed message; `null` if it was deleted. */
  content: Uint8Array | null
}

/** An edit or a revoke. */
export interface DueFollowUp extends Queued {
  kind: FollowUpCommand['kind']
  messageId: string
  /** The account of the message; `null` if its record was deleted. */
  accountId: string | null
  /** The sealed command. */
  sealed: Uint8Array
}

/** A command with all data to run it; columns that its kind does not use are null. */
export type DueCommand = DueSend | DueFollowUp
