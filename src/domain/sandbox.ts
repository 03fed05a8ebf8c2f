import type { HiddenPart } from './contact.ts'

/** A request to the sandbox for one of its numbers. The queued value is the executed value. */
export type SandboxRequest = { phone: string } & (
  | { kind: 'incoming'; incoming: SandboxIncoming }
  | { kind: 'action'; action: SandboxAction }
  | {
      kind: 'messages'
      contact: string | null
      /** Nothing from before the account had the number. */
      sinceMs: number
      limit: number
      before: string | null
      withMedia: boolean
    }
  | { kind: 'link'; accountId?: string; qr?: string; code?: string }
  | { kind: 'passkey'; challenge: string }
  | { kind: 'passkey_code' }
  | { kind: 'conditions'; contact: string | null }
)

export const SANDBOX_MESSAGE_TYPES = [
  'text',
  'reaction',
  'image',
  'video',
  'audio',
  'voice',
  'document',
  'sticker',
  'location',
  'poll',
  'button_response',
  'contact',
  'other',
  'edit',
  'revoke',
] as const

/** A contact writes. Numbers are normalized to digits, and message ids are the platform's. */
export interface SandboxIncoming {
  from: string
  from_name?: string
  group?: string
  broadcast?: boolean
  type: (typeof SANDBOX_MESSAGE_TYPES)[number]
  text?: string
  media?: { mimetype?: string; filename?: string; data?: string; size?: number }
  location?: { latitude: number; longitude: number; name?: string; address?: string }
  poll?: { name: string; options: string[]; selectable_count?: number }
  button_response?: { id: string; text: string; paramsJson?: string }
  quoted_message_id?: string
  reacted_message_id?: string
  edited_message_id?: string
  revoked_message_id?: string
  view_once?: boolean
  withheld?: (typeof SANDBOX_WITHHELD)[number]
}

/** Why the gateway receives a stub instead of a message. */
export const SANDBOX_WITHHELD = ['plain', 'view_once', 'hosted', 'bot'] as const

export const SANDBOX_ACTIONS = [
  'read',
  'read_receipts',
  'play',
  'typing',
  'presence',
  'call',
  'vote',
  'profile',
  'order',
  'new_phone',
  'lose_device',
  'newsletter_post',
  'drop',
  'log_out',
  'fail_next',
  'outdate',
] as const

export interface SandboxAction {
  action: (typeof SANDBOX_ACTIONS)[number]
  from?: string
  group?: string
  message_id?: string
  typing?: boolean
  media?: 'text' | 'audio'
  enabled?: boolean
  online?: boolean
  last_seen_unix?: number | null
  video?: boolean
  call_id?: string
  event?: 'offer' | 'terminate'
  reason?: string
  about?: string
  /** Base64; empty removes it. */
  picture?: string
  hidden?: HiddenPart[]
  options?: string[]
  newsletter?: string
  name?: string
  text?: string
  managed?: boolean
  seconds?: number
  ack?: 'withheld' | 'rejected' | 'slow'
  code?: number
  times?: number
}

/** The conditions that are set for a number. */
export interface SandboxConditions {
  /** When the link is restored; `null` if it is not cut. */
  cutUntilMs: number | null
  /** For the contact of the query. */
  online: boolean
  readReceipts: boolean
}

/** A button on a contact's phone. */
interface SandboxButton {
  type?: string
  id?: string
  text: string
  url?: string
  phone?: string
  code?: string
}

/** A message of a contact's simulated phone. */
export interface SandboxMessage {
  message_id: string
  /** The phone that has it. */
  contact: string
  /** The contact, or the group. */
  chat_jid: string
  from: string
  /** Whether the contact wrote it. */
  from_me: boolean
  type: string
  text: string
  timestamp_unix: number
  status: 'sent' | 'delivered' | 'read' | 'played'
  /** How often it arrived; more than once means that the gateway sent it again. */
  copies: number
  media?: { mimetype: string; filename?: string; file_length: number; data?: string; data_omitted?: true }
  location?: { latitude: number; longitude: number; name: string; address: string }
  poll?: { name: string; options: string[]; selectable_count: number }
  buttons?: SandboxButton[]
  cards?: Array<{ title: string; text: string; has_picture: boolean; buttons: SandboxButton[] }>
  event?: {
    name: string
    description: string
    start_unix: number
    end_unix?: number
    place?: string
    canceled: boolean
  }
  changed_event_id?: string
  answered_event_id?: string
  event_answer?: string
  album?: { images: number; videos: number }
  album_message_id?: string
  forwarded?: true
  quoted_message_id?: string
  reacted_message_id?: string
  pinned_message_id?: string
  pin_seconds?: number
  kept_message_id?: string
  kept?: boolean
}
