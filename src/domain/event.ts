import type { ChannelState, ReactionMode } from './channel.ts'
import type { Permitted } from './group.ts'
import type { FailureReason } from './message.ts'
import type { PersonSource } from './person.ts'

/** The nine kinds of the specification (Events), exactly as they are delivered. */
export type Event =
  | MessageEvent
  | ReceiptEvent
  | StatusEvent
  | ConnectionEvent
  | PollVoteEvent
  | TypingEvent
  | PresenceEvent
  | CallEvent
  | NewsletterMessageEvent

export type EventKind = Event['kind']

/** Events for endpoints that name their kind. Webhooks and listeners never get them. */
export type ExtraEvent =
  | EndpointEvent
  | GroupEvent
  | ContactEvent
  | PersonEvent
  | ChatEvent
  | HealthEvent
  | NewsletterEvent
export type AnyEvent = Event | ExtraEvent
export type AnyKind = AnyEvent['kind']

export const INCOMING_TYPES = [
  'text',
  'reaction',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'poll',
  'button_response',
  'other',
] as const
export type IncomingType = (typeof INCOMING_TYPES)[number]

export interface MessageEvent {
  kind: 'message'
  message_id: string
  session_id: string
  sender_jid: string
  sender_phone?: string
  sender_name: string
  chat_jid: string
  is_group: boolean
  broadcast: boolean
  type: IncomingType
  text: string
  timestamp_unix: number
  media?: MediaPart
  location?: { latitude: number; longitude: number; name?: string; address?: string }
  poll?: { name: string; options: string[]; selectable_count: number }
  button_response?: { selected_id: string; selected_text: string; params_json?: string }
  quoted_message_id?: string
  quoted_participant?: string
  quoted_text?: string
  reacted_message_id?: string
  edited_message_id?: string
  revoked_message_id?: string
}

export interface MediaPart {
  mimetype: string
  extension: string
  filename?: string
  file_length: number
  data: string
  status: 'downloaded' | 'too_large' | 'error'
}

export interface ReceiptEvent {
  kind: 'receipt'
  session_id: string
  request_id: string
  messenger_message_id: string
  recipient_jid: string
  receipt_type: 'delivered' | 'read' | 'played'
  timestamp_unix: number
}

export interface StatusEvent {
  kind: 'status'
  session_id: string
  request_id: string
  message_id: string
  messenger_message_id?: string
  to: string
  status: 'sent' | 'failed'
  reason?: FailureReason
  detail?: string
  server_id?: number
  timestamp_unix: number
}

export interface ConnectionEvent {
  kind: 'connection'
  session_id: string
  event: 'connected' | 'disconnected' | 'logged_out'
  timestamp_unix: number
}

export interface PollVoteEvent {
  kind: 'poll_vote'
  session_id: string
  voter_jid: string
  chat_jid: string
  poll_message_id: string
  poll_request_id?: string
  selected_hashes: string[]
  timestamp_unix: number
}

export interface TypingEvent {
  kind: 'typing'
  session_id: string
  sender_jid: string
  chat_jid: string
  is_group: boolean
  typing: boolean
  media: 'text' | 'audio'
}

export interface PresenceEvent {
  kind: 'presence'
  session_id: string
  contact_jid: string
  online: boolean
  last_seen_unix: number
}

export interface CallEvent {
  kind: 'call'
  session_id: string
  call_id: string
  from_jid: string
  event: 'offer' | 'terminate'
  video: boolean
  reason?: string
  rejected: boolean
  timestamp_unix: number
}

export interface NewsletterMessageEvent {
  kind: 'newsletter_message'
  session_id: string
  newsletter_jid: string
  server_id: number
  message_id: string
  type: string
  text: string
  timestamp_unix: number
}

/** An endpoint has been failing, answers again, or was switched off. It is an event of the account, not of a number. */
export interface EndpointEvent {
  kind: 'endpoint'
  endpoint_id: string
  event: 'failing' | 'recovered' | 'switched_off'
  failing_since_unix: number
  /** The last failure: the HTTP status, and the kind of failure. */
  last_status?: number
  last_error?: string
  timestamp_unix: number
}

export const GROUP_ACTIONS = [
  'create',
  'delete',
  'add',
  'join',
  'remove',
  'leave',
  'promote',
  'demote',
  'subject',
  'description',
  'settings',
  'picture',
  'invite',
  'request',
  'request_over',
  'linked',
  'unlinked',
] as const
export type GroupAction = (typeof GROUP_ACTIONS)[number]

/** A group that the number is in has changed: by the number, a member or the platform. */
export interface GroupEvent {
  kind: 'group'
  session_id: string
  group_jid: string
  action: GroupAction
  /** Empty if the platform does not name the person. */
  actor_jid: string
  actor_phone?: string
  /** The people whom it concerns; empty if it concerns the group itself. */
  members: Array<{ jid: string; phone?: string }>
  /** Of `create` and `subject`. */
  subject?: string
  /** Of `description`. */
  description?: string
  /** Of `linked` and `unlinked`: the group of the community that `group_jid` is, or the community of that group. */
  linked_jid?: string
  /** Of `settings`: what has changed. */
  settings?: Partial<{
    write: Permitted
    edit: Permitted
    add: Permitted
    join_approval: boolean
    disappearing_seconds: number
  }>
  timestamp_unix: number
}

export const CONTACT_ACTIONS = ['name', 'picture', 'about', 'number'] as const
export type ContactAction = (typeof CONTACT_ACTIONS)[number]

/** A person has changed what they show of themselves, or has another number. */
export interface ContactEvent {
  kind: 'contact'
  session_id: string
  /** The JID with the phone number if it is known; of `number`: the former one. */
  contact_jid: string
  contact_phone?: string
  action: ContactAction
  /** Of `name`. */
  name?: string
  /** Of `about`: absent if the platform does not say the new one. */
  about?: string
  /** Of `picture`: empty if the person has removed it. */
  picture_id?: string
  /** Of `number`. */
  new_jid?: string
  timestamp_unix: number
}

/** The number has learned the hidden identifier of a phone number, or another one. */
export interface PersonEvent {
  kind: 'person'
  session_id: string
  lid: string
  phone: string
  source: PersonSource
  /** The number that this hidden identifier had before. */
  previous_phone?: string
  /** The hidden identifier that this number had before. */
  previous_lid?: string
  timestamp_unix: number
}

export const CHAT_ACTIONS = ['archive', 'pin', 'mute', 'read', 'label', 'delete'] as const
export type ChatAction = (typeof CHAT_ACTIONS)[number]

/** The owner of the number has changed a chat on the phone or another device. */
export interface ChatEvent {
  kind: 'chat'
  session_id: string
  /** The JID with the phone number if it is known; or the JID of a group. */
  chat_jid: string
  action: ChatAction
  /** Of `archive`. */
  archived?: boolean
  /** Of `pin`. */
  pinned?: boolean
  /** Of `mute`: 0 if the chat is not muted any more. */
  muted_until_unix?: number
  /** Of `read`: false if the owner has marked the chat as unread. */
  read?: boolean
  /** Of `read`: the messages that the owner has read, if the phone names them. */
  message_ids?: string[]
  /** Of `label`. */
  label_id?: string
  labelled?: boolean
  timestamp_unix: number
}

/** The platform warns, restricts or bans the number, or no longer does. */
export interface HealthEvent {
  kind: 'health'
  session_id: string
  event: 'warned' | 'restricted' | 'lifted' | 'banned'
  cause: 'restriction' | 'new_chats' | 'ban'
  /** When it ends, if the platform says so. */
  until_unix?: number
  /** The platform's name for the kind of a restriction. */
  restriction_type?: string
  /** Of the cause `new_chats`; `null` where the platform gives no number. */
  new_chats?: { limit: number | null; used: number | null }
  /** Why, in words for people. */
  detail?: string
  timestamp_unix: number
}

export const NEWSLETTER_ACTIONS = ['follow', 'unfollow', 'update', 'state'] as const
export type NewsletterAction = (typeof NEWSLETTER_ACTIONS)[number]

/** The number follows a channel now or no longer, or a channel that it follows or manages has changed. */
export interface NewsletterEvent {
  kind: 'newsletter'
  session_id: string
  newsletter_jid: string
  action: NewsletterAction
  /** Of `follow` and `update`: what the platform says of the channel. */
  name?: string
  description?: string
  reactions?: ReactionMode
  /** Empty if the channel has no picture. */
  picture_id?: string
  /** Of `state`. */
  state?: ChannelState
  timestamp_unix: number
}

export const CATEGORIES = ['messages', 'status', 'connection', 'events'] as const
export type Category = (typeof CATEGORIES)[number]

const CATEGORY_OF: Record<EventKind, Category> = {
  message: 'messages',
  receipt: 'status',
  status: 'status',
  connection: 'connection',
  poll_vote: 'events',
  typing: 'events',
  presence: 'events',
  call: 'events',
  newsletter_message: 'events',
}

export const EVENT_KINDS = Object.keys(CATEGORY_OF) as EventKind[]

/** The category of the history for each kind that only endpoints get. */
const EXTRA_CATEGORY_OF: Record<ExtraEvent['kind'], Category> = {
  endpoint: 'events',
  group: 'events',
  contact: 'events',
  person: 'events',
  chat: 'events',
  health: 'events',
  newsletter: 'events',
}

export const ANY_KINDS: readonly AnyKind[] = [...EVENT_KINDS, ...(Object.keys(EXTRA_CATEGORY_OF) as AnyKind[])]

const ALL_CATEGORIES: Record<AnyKind, Category> = { ...CATEGORY_OF, ...EXTRA_CATEGORY_OF }

export const categoryOf = (kind: AnyKind): Category => ALL_CATEGORIES[kind]

/** Whether only endpoints get the kind. */
export const isExtraKind = (kind: AnyKind): boolean => Object.hasOwn(EXTRA_CATEGORY_OF, kind)

export const HISTORY_TYPES = [
  'incoming_message',
  'message_status',
  'outbound_failure',
  'connection_status',
  'other',
] as const
export type HistoryType = (typeof HISTORY_TYPES)[number]

/** The event type in the delivery history; typing is never recorded. */
export function historyTypeOf(event: AnyEvent): HistoryType | null {
  switch (event.kind) {
    case 'message':
      return 'incoming_message'
    case 'receipt':
      return 'message_status'
    case 'status':
      return event.status === 'failed' ? 'outbound_failure' : 'message_status'
    case 'connection':
      return 'connection_status'
    case 'typing':
      return null
    case 'poll_vote':
    case 'presence':
    case 'call':
    case 'newsletter_message':
    case 'endpoint':
    case 'group':
    case 'contact':
    case 'person':
    case 'chat':
    case 'health':
    case 'newsletter':
      return 'other'
    default: {
      const never: never = event
      return never
    }
  }
}

/** The id by which a receiver removes duplicates: the payload's own if it has one (specification, Delivery behaviour). */
export function dedupeIdOf(event: AnyEvent, eventId: string): string {
  return event.kind === 'message' || event.kind === 'status' || event.kind === 'newsletter_message'
    ? event.message_id
    : eventId
}
