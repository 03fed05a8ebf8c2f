export const MEDIA_TYPES = ['image', 'video', 'audio', 'voice', 'document', 'sticker'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** Specification, Limits: media for sending. */
export const MAX_SENT_MEDIA_BYTES = 64 * 1024 * 1024

/** The content of a message, as it is sealed in the store and passed to the platform. */
export type Content =
  | {
      type: 'text'
      text: string
      mentions: string[]
      linkPreview: boolean
      /** The picture of the preview: a URL, or the stored file of a `mediaUrl`. */
      previewImage?: string
    }
  | {
      type: 'media'
      mediaType: MediaType
      url: string
      caption: string
      mentions: string[]
      filename: string | null
      viewOnce: boolean
      /** The platform id of the album that it belongs to. */
      album?: string
    }
  | { type: 'reaction'; emoji: string; reactedMessageId: string; reactedParticipant: string | null }
  | { type: 'location'; latitude: number; longitude: number; name: string; address: string }
  | { type: 'contacts'; contacts: Array<{ name: string; phone: string }> }
  | { type: 'poll'; name: string; options: string[]; selectableCount: number }
  | { type: 'buttons'; text: string; footer: string; buttons: Button[] }
  | { type: 'carousel'; text: string; footer: string; cards: CarouselCard[] }
  | { type: 'list'; text: string; footer: string; title: string; buttonText: string; sections: ListSection[] }
  | ({ type: 'event' } & CalendarContent)
  /** Replaces an event that the number has sent; the platform shows a cancelled event as such. */
  | ({ type: 'event_change'; messageId: string; isCanceled: boolean } & CalendarContent)
  | { type: 'event_answer'; messageId: string; participant: string | null; answer: (typeof EVENT_ANSWERS)[number] }
  /** Announces an album; its pictures and videos are messages of their own. */
  | { type: 'album'; images: number; videos: number }
  /** A copy of another message that the number has sent. */
  | { type: 'forward'; messageId: string }
  /** For 0 seconds: unpins it. */
  | { type: 'pin'; messageId: string; participant: string | null; seconds: number }
  /** Keeps a message of a chat whose messages disappear, or lets it disappear again. */
  | { type: 'keep'; messageId: string; participant: string | null; isKept: boolean }

export const EVENT_ANSWERS = ['going', 'not_going', 'maybe'] as const

export const BUTTON_TYPES = ['reply', 'url', 'call', 'copy'] as const

/** Without a type it is a reply. */
export type Button =
  | { type?: 'reply'; id: string; text: string }
  | { type: 'url'; text: string; url: string }
  | { type: 'call'; text: string; phone: string }
  | { type: 'copy'; text: string; code: string }

export interface CarouselCard {
  title: string
  text: string
  /** A URL, or the stored file of a `mediaUrl`. */
  picture: string | null
  buttons: Button[]
}

export interface CalendarContent {
  name: string
  description: string
  startMs: number
  endMs: number | null
  location: { name: string; address: string; latitude?: number; longitude?: number } | null
}

export interface ListSection {
  title: string
  rows: Array<{ id: string; title: string; description: string }>
}

export interface Quote {
  messageId: string
  participant: string | null
  text: string
}

export interface Outgoing {
  content: Content
  quote: Quote | null
  /** The recipient sees that it was forwarded. */
  isForwarded?: true
  /** How long the chat shows a typing sign before it. */
  typingMs?: number
  /** Who sees a status post; otherwise those whom the owner has chosen on the phone. */
  audience?: string[]
}

export const MESSAGE_STATES = [
  'scheduled',
  'queued',
  'sent',
  'delivered',
  'read',
  'played',
  'failed',
  'cancelled',
] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

/** The states of a change to a message that was sent; shown in the message's history beside its own states. */
export const FOLLOW_UP_STATES = ['edited', 'edit_failed', 'revoked', 'revoke_failed'] as const
export type FollowUpState = (typeof FOLLOW_UP_STATES)[number]

/** The fixed enumeration of the specification (kind `status`, reason). */
export const FAILURE_REASONS = ['INVALID_RECIPIENT', 'MEDIA_FAILED', 'SEND_FAILED', 'RETRIES_EXHAUSTED'] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

export interface Message {
  id: string
  accountId: string
  sessionId: string
  requestId: string
  to: string
  type: Content['type']
  state: MessageState
  platformId: string
  serverId: number | null
  reason: FailureReason | null
  detail: string | null
  sendAt: number | null
  createdAt: number
  updatedAt: number
}

const ORDER: Record<MessageState, number> = {
  scheduled: 0,
  queued: 1,
  cancelled: 2,
  failed: 2,
  sent: 3,
  delivered: 4,
  read: 5,
  played: 6,
}

/** States only move forward; `failed` and `cancelled` are final. */
export function mayFollow(from: MessageState, to: MessageState): boolean {
  if (from === 'failed' || from === 'cancelled') return false
  return ORDER[to] > ORDER[from]
}
